// An unknown provider may come from an extension, so extensions are loaded before the model is looked up.

import { findRow } from "@lathe/llm/providers";
import type { SessionWorkspace } from "../conversation/session-workspace.ts";
import { PRACTICE_PROVIDER } from "../models/practice/name.ts";
import type { CliOptions } from "../platform/options/option-table.ts";
import type { ExtensionHosts } from "./extensions/extension-hosts.ts";

export async function loadNamedProvider(
  workspace: SessionWorkspace,
  { model }: CliOptions,
  extensions: ExtensionHosts,
): Promise<void> {
  const provider = /^([\w-]+)\//.exec(model ?? workspace.settings.model)?.[1];
  if (provider === undefined || provider === PRACTICE_PROVIDER || findRow(provider)) return;
  if ((await workspace.models()).configOf(provider)) return;
  await extensions.load(workspace);
}
