// A tool call as handlers of extensions see it: our handlers get the call itself, those written for pi get pi's tool
// names and arguments.

import type { JsonObject } from "@lathe/llm";
import {
  changedArguments,
  type ForeignCall,
  foreignCalls,
  type OwnCall,
} from "../../config/tool-names/foreign-calls.ts";

export class PresentedCall {
  readonly #call: OwnCall;
  /** Calls by the copy of the arguments that pi's handler got and may have changed. */
  readonly #shown = new Map<object, ForeignCall>();

  constructor(call: OwnCall) {
    this.#call = call;
  }

  /** The calls to present, at least one: pi gets a call that touches several files as one call per file. */
  callsFor(dialect: "lathe" | "pi"): readonly { readonly name: string; readonly input: JsonObject }[] {
    const { tool, args } = this.#call;
    if (dialect === "lathe") return [{ name: tool, input: args }];
    return foreignCalls(dialect, this.#call).map((call) => {
      const input = structuredClone(call.input);
      this.#shown.set(input, call);
      return { name: call.name, input };
    });
  }

  /** Our arguments after a handler for pi ran; undefined if it changed nothing. */
  changesFrom(told: object, given: object | undefined): JsonObject | "impossible" | undefined {
    const call = this.#shown.get(told);
    const now = given ?? told;
    if (call && JSON.stringify(now) === JSON.stringify(call.input)) return undefined;
    return (call && changedArguments(this.#call, call, now as JsonObject)) ?? "impossible";
  }
}
