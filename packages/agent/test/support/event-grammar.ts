// Checks a whole list of events against the grammar in the comment of `SessionEvent`, so that what hosts are told and
// what our tests enforce cannot differ.

import { readFileSync } from "node:fs";
import type { SessionEvent } from "../../src/contract/events/types.ts";
import { firstOf, type Grammar, isComplete, next, parseGrammar, type Rule } from "./ebnf.ts";

const SOURCE = readFileSync(new URL("../../src/contract/events/types.ts", import.meta.url), "utf8");
const TEXT = /```ebnf\n([\s\S]*?)```/.exec(SOURCE)?.[1] ?? "";

/** Calls interleave: for the session each is one word, and its events are checked separately. */
export const eventGrammar: Grammar = parseGrammar(TEXT.replace(/^ *\* ?/gm, ""), ["call"]);

/** The first violation, or undefined. `ended`: session_end must have come. */
export function grammarError(events: readonly SessionEvent[], options: { ended?: boolean } = {}): string | undefined {
  const state = new GrammarState();
  for (const [index, event] of events.entries()) {
    const problem = state.take(event);
    if (problem) return `event ${index} (${event.kind}): ${problem}`;
  }
  if (options.ended && !state.over) return "the session did not end";
  return undefined;
}

class GrammarState {
  over = false;
  #session = eventGrammar.rule("session");
  readonly #calls = new Map<string, Rule>();
  #seq = 0;

  take(event: SessionEvent): string | undefined {
    if (event.seq !== this.#seq + 1) return `seq ${event.seq} follows ${this.#seq}`;
    this.#seq = event.seq;
    if (this.over) return "comes after session_end";
    if (event.kind === "session_end") {
      this.over = true;
      if (event.data.reason === "error") return undefined;
    }
    const id = "call_id" in event.data && event.kind !== "tool_call_args_delta" ? event.data.call_id : undefined;
    return id === undefined ? this.#advance(wordOf(event)) : this.#advanceCall(id, event.kind);
  }

  #advance(word: string): string | undefined {
    if (word === "turn_end" && this.#calls.size > 0) return `calls are open: ${[...this.#calls.keys()].join(", ")}`;
    const after = next(this.#session, word);
    if (!after) return `expected one of ${firstOf(this.#session).join(", ")}`;
    this.#session = after;
    return undefined;
  }

  #advanceCall(id: string, kind: string): string | undefined {
    const known = this.#calls.get(id);
    const problem = known ? undefined : this.#advance("call");
    if (problem) return problem;
    const call = known ?? eventGrammar.rule("call");
    const after = next(call, kind);
    if (!after) return `expected one of ${firstOf(call).join(", ")} for the call ${id}`;
    if (isComplete(after)) this.#calls.delete(id);
    else this.#calls.set(id, after);
    return undefined;
  }
}

function wordOf(event: SessionEvent): string {
  return event.kind === "retry" && event.data.discards ? "retry!" : event.kind;
}
