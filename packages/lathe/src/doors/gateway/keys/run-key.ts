// A client key for one run, such as a container or a job elsewhere: with the budget of the run, and revoked at its end. It expires by
// itself if this process is killed before.

import type { KeyFile, KeyTerms } from "./key-file.ts";

export interface RunKeyTerms extends KeyTerms {
  /** The longest that the run takes. */
  readonly lastsMs: number;
}

/** What clients of OpenAI and Anthropic read, at the gateway's address as the run sees it. */
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
