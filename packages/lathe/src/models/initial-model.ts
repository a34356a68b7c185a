// Which model a run uses if none is named: the first of the scope, the saved default, or a provider with a credential.
// A user without any of these gets a local server's model, or else the practice model.

import type { Journal } from "@lathe/agent";
import { modelFor } from "@lathe/agent/record";
import { expandModels, initialModel } from "@lathe/llm";
import { signInCommand } from "../config/credentials/source.ts";
import { CliError, EXIT, usageError } from "../platform/usage/exit.ts";
import type { ModelWorkspace } from "./connect.ts";
import { chooseModel } from "./connect.ts";
import { type ModelChoice, type Models, meansPractice, PRACTICE } from "./models.ts";
import { withEffort } from "./roles.ts";

export interface InitialWish {
  /** The model of the session that is being resumed. */
  readonly resumed?: string;
  /** Whether a key was given for this run. */
  readonly hasKey: boolean;
  /** Whether a user is present who can read which model was chosen. */
  readonly interactive: boolean;
  /** Asks the user what to start with if no provider has a credential; resolves with undefined if they skip it. */
  readonly firstModel?: (() => Promise<ModelChoice | undefined>) | undefined;
}

/** The model that a session last used or started with, as a selector. Its effort is kept unless this run sets one. */
export function modelOfSession(
  { context, inputModel }: Journal,
  { settingsOrigin }: ModelWorkspace,
): string | undefined {
  const model = modelFor(context.state, "default") ?? inputModel;
  const { chosenLevel } = context.state;
  const keepsOwn = chosenLevel !== undefined && settingsOrigin.get("defaultThinkingLevel") !== "run";
  return model !== undefined && keepsOwn ? `${model}:${chosenLevel}` : model;
}

export async function chooseInitialModel(workspace: ModelWorkspace, wish: InitialWish): Promise<ModelChoice> {
  const { settings, settingsOrigin } = workspace;
  if (settingsOrigin.get("model") === "run") return chooseModel(workspace, settings.model);
  const models = await workspace.models();
  // A preset chosen for this run takes precedence over the model of a resumed session.
  if (models.preset && models.preset.since !== "saved" && models.preset.mapping["default"] !== undefined)
    return models.find(withEffortOfRun(workspace, models.preset.mapping["default"]));
  const resumed = wish.resumed === undefined ? undefined : await callableModel(models, wish.resumed, wish.hasKey);
  if (resumed) return resumed;
  const usual = models.chosenFor("default");
  if (settings.enabledModels.length === 0 && usual !== "") return models.find(withEffortOfRun(workspace, usual));
  await discoverScope(models, settings.enabledModels);
  if (
    settingsOrigin.get("enabledModels") === "run" &&
    expandModels(models.registry, settings.enabledModels).length === 0
  )
    throw usageError(`No model matches --models ${settings.enabledModels.join(",")}. See: lathe models`);
  const found = initialModel(models.registry, {
    scoped: settings.enabledModels,
    resuming: wish.resumed !== undefined,
    ...(usual === "" ? {} : { saved: usual }),
  });
  if (found) return models.choose(selectorOf(found));
  const login = signInCommand(workspace.accounts().place);
  if (settings.enabledModels.length > 0 && wish.resumed === undefined)
    throw new CliError(
      EXIT.provider,
      `None of the models to choose from (${settings.enabledModels.join(", ")}) has a credential. Run ${login} <provider>, or name another: --model <provider/id>`,
    );
  if (!wish.interactive) {
    throw new CliError(
      EXIT.provider,
      `No credential was found. Set a key such as ANTHROPIC_API_KEY, run ${login} <provider>, or try --model practice/basic`,
    );
  }
  return withoutCredential(workspace, models, wish);
}

/** An effort given for this run takes precedence over that of a preset or setting. */
function withEffortOfRun({ settings, settingsOrigin }: ModelWorkspace, selector: string): string {
  const level = settings.defaultThinkingLevel;
  return settingsOrigin.get("defaultThinkingLevel") === "run" ? withEffort(selector, level) : selector;
}

/** A scope may name local servers, whose models are unknown until the servers are asked. */
async function discoverScope(models: Models, scope: readonly string[]): Promise<void> {
  const local = models.registry
    .discoveries()
    .map(({ provider }) => provider)
    .filter((provider) => scope.some((pattern) => pattern.startsWith(`${provider}/`)));
  if (local.length > 0) await models.discover({ only: local });
}

async function withoutCredential(
  workspace: ModelWorkspace,
  models: Models,
  { firstModel }: InitialWish,
): Promise<ModelChoice> {
  const { machine } = workspace;
  await models.discover();
  const accounts = workspace.accounts();
  // With a broker the user signs in on the broker's machine.
  const isNew = accounts.place === "machine" && (await accounts.providers()).length === 0;
  const chosen = isNew ? await firstModel?.() : undefined;
  if (chosen) return chosen;
  const local = models.registry.available().find(({ supportsTools }) => supportsTools);
  if (local) {
    machine.stderr.write(`No API key found; using ${local.provider}/${local.id} from the server on this machine.\n`);
    return models.choose(`${local.provider}/${local.id}`);
  }
  machine.stderr.write(
    `No API key and no local model server found: continuing with the practice model, which is scripted. For a real model: ${signInCommand(accounts.place)} <provider>\n`,
  );
  return models.choose(PRACTICE);
}

/** The model of a selector if it can be called here and now. */
export async function callableModel(
  models: Models,
  selector: string,
  hasKey: boolean,
): Promise<ModelChoice | undefined> {
  if (meansPractice(selector)) return models.choose(selector);
  const slash = selector.indexOf("/");
  const provider = selector.slice(0, Math.max(slash, 0));
  if (!models.registry.knows(provider) || models.disabled.includes(provider)) return undefined;
  return hasKey || models.registry.isAvailable(provider) ? models.find(selector) : undefined;
}

function selectorOf({ model, effort }: NonNullable<ReturnType<typeof initialModel>>): string {
  return `${model.provider}/${model.id}${effort === undefined ? "" : `:${effort}`}`;
}
