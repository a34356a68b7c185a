// A gateway's account of the reasoning behind it (`reasoning_details`): signed or encrypted items that the model's maker
// wants back with the calls they led to. They travel as the signature of the answer's first call.

import type { JsonObject, JsonValue } from "../../types/json.ts";
import { isObject } from "../common/json.ts";

/** Fields that are streamed in fragments. */
const FRAGMENTED = ["text", "summary", "data"];

export class ReasoningDetails {
  readonly #items: JsonObject[] = [];

  /** Neighbouring fragments of one item, by type and index, become one item again. */
  add(details: JsonValue | undefined): void {
    for (const detail of Array.isArray(details) ? details.filter(isObject) : []) {
      const last = this.#items.at(-1);
      const continues =
        last !== undefined &&
        detail["index"] !== undefined &&
        ["type", "index"].every((key) => last[key] === detail[key]);
      if (!continues) {
        this.#items.push({ ...detail });
        continue;
      }
      for (const [key, value] of Object.entries(detail)) {
        const before = last[key];
        if (FRAGMENTED.includes(key) && typeof before === "string" && typeof value === "string")
          last[key] = before + value;
        else if (value !== null) last[key] = value;
      }
    }
  }

  get signature(): string | undefined {
    return this.#items.length === 0 ? undefined : JSON.stringify(this.#items);
  }
}

/** The items in a call's signature; undefined when it is another vendor's kind. */
export function readReasoningDetails(signature: string | undefined): JsonValue[] | undefined {
  return signature?.startsWith("[{") ? (JSON.parse(signature) as JsonValue[]) : undefined;
}
