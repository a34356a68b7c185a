// Asks one engine after another until one finds something. Keeps which ones failed and why, for the text.

import { messageOf } from "@lathe/llm";
import { ToolFailure } from "../../../contract/tool.ts";
import type { WebGate } from "../../../files/web/gate/types.ts";
import type { SearchAnswer, SearchProvider, SearchQuery } from "../../../files/web/search.ts";

export interface Failed {
  readonly engine: string;
  readonly why: string;
}

export interface Asked {
  readonly found?: { readonly engine: SearchProvider; readonly answer: SearchAnswer };
  readonly failed: readonly Failed[];
  /** Engines that answered but found nothing. */
  readonly empty: readonly string[];
}

export async function askEngines(
  engines: readonly SearchProvider[],
  query: SearchQuery,
  { gate, signal, onAnswer }: { gate: WebGate; signal: AbortSignal; onAnswer?: (answer: SearchAnswer) => void },
): Promise<Asked> {
  const failed: Failed[] = [];
  const empty: string[] = [];
  for (const engine of engines) {
    try {
      const answer = await engine.search(query, gate, signal);
      // An answer without results has been paid for too.
      onAnswer?.(answer);
      if (answer.sources.length > 0 || (answer.answer ?? "").trim() !== "")
        return { found: { engine, answer }, failed, empty };
      empty.push(engine.name);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ToolFailure)) throw error;
      failed.push({ engine: engine.name, why: messageOf(error) });
    }
  }
  return { failed, empty };
}

/** What the model reads if no engine found anything. */
export function failureText(failed: readonly Failed[]): string {
  const [first] = failed;
  if (!first) return "Error: No web search provider configured.";
  const [only, ...others] = failed.map(({ engine, why }) => `${engine}: ${why.replace(/\.$/, "")}`);
  return others.length === 0
    ? `Error: ${first.why}`
    : `Error: All web search providers failed: ${[only, ...others].join("; ")}`;
}
