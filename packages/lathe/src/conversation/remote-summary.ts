// A service of the user that makes summaries instead of the model.

import type { SummaryAnswer } from "@lathe/agent/context";
import { parseJson } from "@lathe/llm";
import type { Workspace } from "../config/workspace/workspace.ts";

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
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error(`compaction.remoteEndpoint sent more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  if (response.status < 200 || response.status > 299)
    throw new Error(`compaction.remoteEndpoint answered ${response.status}`);
  const answer = parseJson(Buffer.concat(chunks).toString("utf8"));
  if (answer === undefined) throw new Error("compaction.remoteEndpoint answered something that is not JSON");
  const { summary } = (answer ?? {}) as { readonly summary?: unknown };
  if (typeof summary !== "string") throw new Error("compaction.remoteEndpoint did not answer {summary}");
  return { text: summary, finish: "stop" };
}
