// A model of a provider that nobody here knows may be an extension's: then extensions are loaded before the model is looked for.

import { findRow } from "@lathe/llm/providers";
import type { Workspace } from "../config/workspace/workspace.ts";
import { modelsOf } from "../models/connect.ts";
import { PRACTICE_PROVIDER } from "../models/practice/name.ts";
import type { CliOptions } from "../platform/options/option-table.ts";

export async function loadNamedProvider(workspace: Workspace, { model }: CliOptions): Promise<void> {
  const provider = /^([\w-]+)\//.exec(model ?? workspace.settings.model)?.[1];
  if (provider === undefined || provider === PRACTICE_PROVIDER || findRow(provider)) return;
  if ((await modelsOf(workspace)).configOf(provider)) return;
  const { loadExtensions } = await import("./extensions/addition.ts");
  await loadExtensions(workspace).host;
}
