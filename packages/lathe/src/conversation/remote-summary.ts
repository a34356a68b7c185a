// Asks a service of the user for the summary instead of the model.

import type { SummaryAnswer } from "@lathe/agent/context";
import { parseJson } from "@lathe/llm";
import type { Workspace } from "../config/workspace/workspace.ts";
import { answerText } from "../platform/machine/answer-text.ts";

const MOST_BYTES = 1 << 20;

export async function remoteSummary(
  { machine: { deps } }: Workspace,
  endpoint: string,
  body: { readonly systemPrompt: string; readonly prompt: string },
  signal: AbortSignal,
): Promise<SummaryAnswer> {
  const response = await deps.fetch({
    url: endpoint,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: [JSON.stringify(body)],
    signal,
  });
  const text = await answerText(response.body, MOST_BYTES).catch((error: Error) => {
    throw new Error(`compaction.remoteEndpoint cannot be used: ${error.message}`, { cause: error });
  });
  if (response.status < 200 || response.status > 299)
    throw new Error(`compaction.remoteEndpoint answered ${response.status}`);
  const answer = parseJson(text);
  if (answer === undefined) throw new Error("compaction.remoteEndpoint answered something that is not JSON");
  const { summary } = (answer ?? {}) as { readonly summary?: unknown };
  if (typeof summary !== "string") throw new Error("compaction.remoteEndpoint did not answer {summary}");
  return { text: summary, finish: "stop" };
}
