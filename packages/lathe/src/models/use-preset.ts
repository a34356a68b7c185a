// Starts using a preset. All of its providers must have credentials; otherwise none of it takes effect.

import { findRow } from "@lathe/llm/providers";
import type { CliOptions } from "../platform/options/option-table.ts";
import { CliError, EXIT, usageError } from "../platform/usage/exit.ts";
import type { ModelWorkspace } from "./connect.ts";
import { noCredential } from "./connect.ts";
import { credentialQuery } from "./credentials.ts";
import type { Models } from "./models.ts";
import { type ActivePreset, activePreset } from "./presets.ts";

/** Checks the preset before a session starts. */
export async function requirePreset(workspace: ModelWorkspace, options: CliOptions): Promise<void> {
  const models = await workspace.models();
  const { preset } = models;
  if (!preset) return;
  // A key given for this run belongs to the provider of its model.
  const keyed = options["api-key"] === undefined ? undefined : models.chosenFor("default").split("/", 1)[0];
  mustBeUsable(workspace, models, preset, keyed);
  if (options.default) await keepPreset(workspace, preset.name);
}

/** Saves the preset for later runs. */
export async function keepPreset({ paths }: ModelWorkspace, name: string): Promise<void> {
  const { writeSetting } = await import("../config/settings/write.ts");
  await writeSetting(paths.config, "modelProfile.default", name);
}

/** Uses the preset from now on, in this run only. */
export async function usePreset(workspace: ModelWorkspace, name: string): Promise<ActivePreset> {
  const models = await workspace.models();
  const preset = activePreset(models.registry.config, name, "session");
  mustBeUsable(workspace, models, preset);
  models.preset = preset;
  return preset;
}

function mustBeUsable(
  workspace: ModelWorkspace,
  models: Models,
  { name, requires, since }: ActivePreset,
  keyed?: string,
): void {
  const missing = requires.find((provider) => provider !== keyed && !models.registry.isAvailable(provider));
  if (missing === undefined) return;
  const { message } = whyNot(workspace, models, missing);
  const without = since === "saved" ? " Without the preset: lathe config unset modelProfile.default" : "";
  throw new CliError(EXIT.provider, `The preset ${name} needs ${missing}. ${message}${without && `.${without}`}`);
}

function whyNot(workspace: ModelWorkspace, models: Models, provider: string): Error {
  if (models.disabled.includes(provider))
    return usageError("That provider is disabled here. See: lathe config get disabledProviders");
  if (!models.registry.knows(provider)) return usageError("There is no provider of that name. See: lathe models");
  const reason = findRow(provider)?.unsupported;
  if (reason !== undefined) return usageError(`That provider cannot be used: ${reason}.`);
  return noCredential(
    provider,
    credentialQuery(provider, workspace.env, models.configOf(provider)),
    workspace.accounts().place,
  );
}
