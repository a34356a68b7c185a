// Calls that a running call makes (decision 0333). They are judged, journalled and announced like any call, and end
// with the outer call.

import type { JsonObject, ToolCallData } from "@lathe/llm";
import { abortController, type DeadlineHold } from "../../base/time/deadline.ts";
import type { MessageEntry, NestedCallEntry } from "../../contract/journal.ts";
import type { CallInfo, OuterCall } from "../../contract/seams/types.ts";
import type { ToolResult } from "../../contract/tool.ts";
import type { Journal } from "../../record/journal/journal.ts";
import type { SessionOptions } from "../types.ts";
import { Lane } from "./lane.ts";

const MOST_DEPTH = 4;
/** While nested calls run, the caller's deadline is paused, so a limit must end a caller that makes calls forever. */
const MOST_CALLS = 1000;

/** Where a call is made: in an answer of the model, or inside another call. */
export interface CallPlace {
  readonly within?: OuterCall;
  readonly depth: number;
  /**
   * The lane in which exclusive calls wait. An exclusive call gives its nested calls a lane of their own, because it
   * holds the other one itself.
   */
  readonly lane: Lane;
  /** Shared by all calls under one call of the model. */
  readonly tree: {
    made: number;
    /** Answers to calls that were denied, so that we do not ask about the same call again. */
    readonly denied: Map<string, string>;
  };
}

export const topPlace = (lane: Lane): CallPlace => ({ depth: 0, lane, tree: { made: 0, denied: new Map() } });

interface NestParts {
  readonly outer: CallInfo;
  /** The place of the outer call. */
  readonly place: CallPlace;
  readonly signal: AbortSignal;
  readonly hold: DeadlineHold;
  readonly around: SessionOptions["aroundNested"];
  readonly run: (signal: AbortSignal, call: ToolCallData, place: CallPlace) => Promise<ToolResult>;
}

/** The nested calls of one running call. */
export class Nest {
  readonly #parts: NestParts;
  readonly #place: CallPlace;
  readonly #running = new Set<Promise<ToolResult>>();
  readonly #end = abortController();
  readonly #onAbort: () => void;
  /** Web sources that the nested calls read. The outer result shows their content, so it counts as from the web too. */
  readonly webSources = new Set<string>();

  constructor(parts: NestParts) {
    this.#parts = parts;
    const { outer, place, signal } = parts;
    const { callId, summary, tool } = outer;
    const lane = tool.exclusive ? new Lane() : place.lane;
    this.#place = { ...place, lane, depth: place.depth + 1, within: { callId, summary, label: tool.label } };
    this.#onAbort = () => this.#end.abort(signal.reason);
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  readonly call = async (name: string, args: JsonObject): Promise<ToolResult> => {
    const { outer, hold, around = (_outer, _call, run) => run(), run } = this.#parts;
    const { depth, tree } = this.#place;
    if (this.#end.signal.aborted) return refusal("The outer call has ended.");
    if (depth > MOST_DEPTH) return refusal(`Calls may be at most ${MOST_DEPTH} levels deep.`);
    if (tree.made >= MOST_CALLS) return refusal(`A call may make at most ${MOST_CALLS} others.`);
    const start = (): Promise<ToolResult> => {
      const id = `${outer.callId}/${++tree.made}`;
      return run(this.#end.signal, { id, name, arguments: args, type: "function" }, this.#place);
    };
    const running = hold.during(() => around(outer, { name, arguments: args }, start));
    this.#running.add(running);
    try {
      const result = await running;
      if (result.fromWeb) this.webSources.add(result.fromWeb.source);
      return result;
    } finally {
      this.#running.delete(running);
    }
  };

  /** Ends the calls that still run. They keep their own deadlines, so this does not take long. */
  async end(): Promise<void> {
    this.#parts.signal.removeEventListener("abort", this.#onAbort);
    if (!this.#end.signal.aborted) this.#end.abort(new Error("the call that made it has ended"));
    await Promise.allSettled(this.#running);
  }
}

const refusal = (why: string): ToolResult => ({
  content: [{ kind: "text", text: `Not run. ${why}` }],
  isError: true,
});

/** Describes what an interrupted call did through nested calls, one line for each; "" if it made none. */
export function nestedReport(journal: Pick<Journal, "meta" | "entry" | "leaf">, callId: string): string {
  const entries: NestedCallEntry[] = [];
  for (let id = journal.leaf; id !== null; id = journal.meta(id)?.parentId ?? null) {
    const type = journal.meta(id)?.type;
    if (type === "nested_call") entries.unshift(journal.entry(id) as NestedCallEntry);
    else if (type === "message" && (journal.entry(id) as MessageEntry).message.role === "assistant") break;
  }
  const under = new Set([callId]);
  for (const entry of entries.toReversed()) if (under.has(entry.within)) under.add(entry.callId);
  const lines = entries.filter((entry) => under.has(entry.callId)).map(outcomeLine);
  return lines.length === 0 ? "" : ["", "Calls that it had made:", ...lines].join("\n");
}

function outcomeLine({ tool, summary = "", message, settled }: NestedCallEntry): string {
  const result = message.content.find((part) => part.kind === "tool_result")?.toolResult;
  const outcome = settled ? String(result?.content) : result?.isError ? "failed" : "done";
  return `- ${tool} ${summary}: ${outcome}`;
}
