// A client key for one run, such as a container or a worker elsewhere: with the budget of the run, and revoked at its end. It expires by
// itself if this process is killed before.

import type { KeyFile, KeyTerms } from "./key-file.ts";

export interface RunKeyTerms extends Pick<KeyTerms, "models" | "rpm"> {
  /** Names the run; unique among keys in use. */
  readonly name: string;
  /** US dollars for all of the run. */
  readonly usd?: number | undefined;
  /** The longest that the run takes. */
  readonly lastsMs: number;
}

export interface RunKey {
  readonly key: string;
  /** What clients of OpenAI and Anthropic read, at the gateway's address as the run sees it. */
  readonly env: Readonly<Record<string, string>>;
}

export async function withRunKey<T>(
  keys: KeyFile,
  url: string,
  { name, usd, ...more }: RunKeyTerms,
  run: (key: RunKey) => Promise<T>,
): Promise<T> {
  const budget = usd === undefined ? {} : { budget: { usd, period: "ever" as const } };
  const { key, stored } = await keys.add({ name, ...more, ...budget });
  try {
    return await run({
      key,
      env: {
        OPENAI_BASE_URL: `${url}/v1`,
        OPENAI_API_KEY: key,
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: key,
      },
    });
  } finally {
    await keys.revoke(stored.id);
  }
}
