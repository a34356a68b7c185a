// Data that gateways want back with an answer's calls, because the model behind them does: signed or encrypted
// reasoning (`reasoning_details`), and data of a single call (`extra_content`). Both travel as signatures of calls.

import { isJsonObject, type JsonObject, type JsonValue } from "../../types/json.ts";

export interface Returned {
  /** The details of the whole answer, on its first call. */
  readonly reasoning_details?: JsonValue[];
  readonly extra_content?: JsonObject;
}

/** Fields that are streamed in fragments. */
const FRAGMENTED = ["text", "summary", "data"];

export class ReasoningDetails {
  readonly #items: JsonObject[] = [];

  /** Joins consecutive fragments of one item, by type and index. */
  add(details: JsonValue | undefined): void {
    for (const detail of Array.isArray(details) ? details.filter(isJsonObject) : []) {
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

  get items(): JsonValue[] {
    return this.#items;
  }
}

/** Undefined if there is nothing to send back. */
export function toSignature(details: JsonValue[], extra: JsonValue | undefined): string | undefined {
  const returned: Returned = {
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(isJsonObject(extra) ? { extra_content: extra } : {}),
  };
  return Object.keys(returned).length === 0 ? undefined : JSON.stringify(returned);
}

/** Empty for signatures of another kind. */
export function readSignature(signature: string | undefined): Returned {
  return signature?.startsWith("{") ? (JSON.parse(signature) as Returned) : {};
}
