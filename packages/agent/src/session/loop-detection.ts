// Notices when the model repeats calls with the same arguments, gets the same results again and again, or makes a call
// that keeps failing.

import { createHash } from "node:crypto";
import type { JsonObject, JsonValue, ToolResultData } from "@lathe/llm";

const LONGEST_PATTERN = 3;

export class LoopDetector {
  readonly #recent: string[] = [];
  /** Calls since the last warning; undefined if no warning is pending. */
  #sinceWarning: number | undefined;

  /** Records a call. Returns true if the last `window` calls repeat a pattern that we have not warned about yet. */
  record(name: string, args: JsonObject, window: number): boolean {
    this.#recent.push(`${name} ${digest(args)}`);
    if (this.#recent.length > Math.max(window, 1) * 2) this.#recent.splice(0, this.#recent.length - window);
    if (this.#sinceWarning !== undefined) this.#sinceWarning += 1;
    if (window < 2 || this.#recent.length < window) return false;
    const last = this.#recent.slice(-window);
    if (!repeats(last)) {
      this.#sinceWarning = undefined;
      return false;
    }
    if (this.#sinceWarning !== undefined && this.#sinceWarning < window) return false;
    this.#sinceWarning = 0;
    return true;
  }
}

interface RoundCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly hasFailed: boolean;
}

/**
 * Counts how often in a row a call has failed within one input. A repeated round of the same calls continues the
 * streak, whatever its other calls return.
 */
export class FailureStreak {
  #round = "";
  #failures = new Map<string, number>();

  /** For every call of a round: how often in a row it had failed before and has failed now; 0 if it did not fail. */
  record(calls: readonly RoundCall[]): { before: number; failures: number }[] {
    const keys = calls.map(keyOf);
    const round = [...new Set(keys)].sort().join("\n");
    const before = round === this.#round ? this.#failures : new Map<string, number>();
    this.#round = round;
    this.#failures = new Map(before);
    return calls.map(({ hasFailed }, at) => {
      const failures = hasFailed ? (this.#failures.get(keys[at]!) ?? 0) + 1 : 0;
      this.#failures.set(keys[at]!, failures);
      return { before: before.get(keys[at]!) ?? 0, failures };
    });
  }
}

/** Counts consecutive rounds of one input with the same calls and the same results. */
export class SameRounds {
  #last = "";
  #count = 0;

  /** Ignores how long a call took, which some tools report. */
  record(calls: readonly RoundCall[], results: readonly ToolResultData["content"][]): number {
    const round = createHash("sha256")
      .update(calls.map(keyOf).join("\n"))
      .update(JSON.stringify(results).replace(/\b\d+ ms\b/g, "ms"))
      .digest("hex");
    this.#count = round === this.#last ? this.#count + 1 : 1;
    this.#last = round;
    return this.#count;
  }
}

const keyOf = ({ name, args }: RoundCall): string => `${name} ${digest(args)}`;

/** The length p of a pattern need not divide the window: we compare the last floor(window / p) * p calls. */
function repeats(calls: readonly string[]): boolean {
  for (let p = 1; p <= LONGEST_PATTERN; p++) {
    const length = Math.floor(calls.length / p) * p;
    if (length < p * 2) continue;
    const part = calls.slice(-length);
    if (part.every((call, i) => call === part[i % p])) return true;
  }
  return false;
}

function digest(args: JsonObject): string {
  const text = canonical(args);
  return text.length <= 64 ? text : createHash("sha256").update(text).digest("hex");
}

/** JSON with sorted keys. */
function canonical(value: JsonValue): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key]!)}`).join(",")}}`;
}
