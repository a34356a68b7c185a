// A client key for one run, such as a container or a remote job: it has the budget of the run and is revoked at its
// end. If this process is killed before, it expires by itself.

import type { KeyFile, KeyTerms } from "./key-file.ts";

export interface RunKeyTerms extends KeyTerms {
  /** The longest that the run may take. */
  readonly lastsMs: number;
}

/** Environment variables that clients of OpenAI and Anthropic read, with the gateway's address as the run sees it. */
export type RunVariables = Readonly<Record<string, string>>;

export async function withRunKey<T>(
  keys: KeyFile,
  url: string,
  terms: RunKeyTerms,
  run: (variables: RunVariables) => Promise<T>,
): Promise<T> {
  const { key, stored } = await keys.add(terms);
  try {
    return await run({
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: key,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
    });
  } finally {
    await keys.revoke(stored.id);
  }
}
