// The model for a user who has just logged in, and the first choice for a user without credentials.

import { defaultModels } from "@lathe/llm";
import { findRow } from "@lathe/llm/providers";
import { type ModelChoice, PRACTICE } from "../../models/models.ts";
import { CliError } from "../../platform/usage/exit.ts";
import type { SessionWorkspace } from "../session-workspace.ts";
import { chooseFrom } from "./choice.ts";
import { chooseAccount, type LoginView, logIn } from "./login.ts";

/** Undefined: none of the provider's models is known. */
export async function firstModelOf(workspace: SessionWorkspace, provider: string): Promise<string | undefined> {
  const { registry } = await workspace.models();
  const usual = Object.hasOwn(defaultModels, provider) ? defaultModels[provider] : undefined;
  const model =
    (usual === undefined ? undefined : registry.get(provider, usual)) ??
    registry.available().find((one) => one.provider === provider && one.supportsTools);
  return model && `${model.provider}/${model.id}`;
}

/**
 * Without any credential the user chooses between local models that were found, logging in, and the practice model.
 * Undefined: skipped.
 */
export async function chooseFirstModel(workspace: SessionWorkspace, view: LoginView): Promise<ModelChoice | undefined> {
  const models = await workspace.models();
  const local = new Map<string, string>();
  for (const { provider, id, supportsTools } of models.registry.available())
    if (supportsTools && !local.has(provider)) local.set(provider, `${provider}/${id}`);
  const items = [
    ...[...local].map(([provider, selector]) => ({
      value: selector,
      label: `Use ${selector}`,
      detail: `${findRow(provider)?.name ?? provider} on this machine`,
    })),
    { value: LOGIN, label: "Log in to a provider", detail: "a key or a sign-in" },
    { value: PRACTICE, label: "Try the practice model", detail: "scripted, offline, no key" },
  ];
  for (;;) {
    const chosen = await chooseFrom(view, {
      title: "No API key was found. How do you want to start? (Esc to skip)",
      items,
    });
    if (chosen === undefined) return undefined;
    if (chosen !== LOGIN) return models.choose(chosen);
    const selector = await logInForModel(workspace, view);
    if (selector !== undefined) return models.choose(selector);
  }
}

const LOGIN = "login";

/** Prints errors and returns undefined, so that the caller shows the choice again. */
async function logInForModel(workspace: SessionWorkspace, view: LoginView): Promise<string | undefined> {
  const account = await chooseAccount(workspace, view);
  if (!account) return undefined;
  try {
    if (!(await logIn(workspace, account, view))) return undefined;
    const selector = await firstModelOf(workspace, account.id);
    if (selector === undefined)
      view.line(`No model of ${account.name} is known. Name one yourself: --model ${account.id}/<id>`);
    return selector;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    view.line(error.message, "yellow");
    return undefined;
  }
}
