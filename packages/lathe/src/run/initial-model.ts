// Which model a run uses when nobody named one: a provider with a credential, the big three first, its newest model.

import { getLatestModel } from "@lathe/llm";
import { providerRows } from "@lathe/llm/providers";
import { credentialOf, credentialSources } from "./credentials.ts";
import type { Workspace } from "./workspace.ts";

const FIRST = ["anthropic", "openai", "gemini"];

/** Undefined: no provider has a credential. */
export async function initialModel(workspace: Workspace): Promise<string | undefined> {
  const sources = credentialSources(workspace);
  const disabled = workspace.settings.disabledProviders;
  const rows = providerRows.filter(
    (row) => !row.keyless && row.unsupported === undefined && !disabled.includes(row.id),
  );
  const ordered = [...rows].sort((a, b) => rank(a.id) - rank(b.id));
  for (const row of ordered) {
    const model = getLatestModel(row.id, "tools");
    if (model && (await credentialOf(row, sources))) return `${row.id}/${model.id}`;
  }
  return undefined;
}

const rank = (id: string): number => (FIRST.includes(id) ? FIRST.indexOf(id) : FIRST.length);
