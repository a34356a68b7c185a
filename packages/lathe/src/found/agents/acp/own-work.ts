// The calls of an ACP agent's own tools, assembled from its updates. No update is trusted to have the form that the
// protocol requires.

import { isJsonObject, type JsonObject } from "@lathe/llm";
import type { OwnWork } from "./arrivals.ts";

/** Characters kept of one call's output; the agent itself has the rest. */
const MOST_OUTPUT = 20_000;
const MOST_TITLE = 300;

export class OwnWorks {
  readonly #open = new Map<string, JsonObject>();

  /** `update` is what the agent now says about a call. Returns the call once it has ended. */
  take(update: JsonObject, outputOf: (terminalId: string) => string): OwnWork | undefined {
    const id = String(update["toolCallId"]);
    const call = { ...this.#open.get(id), ...withoutNulls(update) };
    if (call["status"] !== "completed" && call["status"] !== "failed") {
      this.#open.set(id, call);
      return undefined;
    }
    this.#open.delete(id);
    return { ...aboutCall(call), output: outputIn(call, outputOf), failed: call["status"] === "failed" };
  }

  /** The agent's updates about a call so far. A request for permission only contains what is new. */
  callSoFar(id: string): JsonObject {
    return this.#open.get(id) ?? {};
  }

  clear(): void {
    this.#open.clear();
  }
}

/** The subject of a call, as it is shown to the user and judged. */
export function aboutCall(call: JsonObject): Pick<OwnWork, "title" | "kind" | "paths"> {
  const places = [...listAt(call, "locations"), ...listAt(call, "content").filter(({ type }) => type === "diff")];
  const paths = places.flatMap(({ path }) => (typeof path === "string" && path !== "" ? [path] : []));
  const title = textAt(call, "title") ?? textAt(call, "name") ?? "a call without a title";
  return { title: title.slice(0, MOST_TITLE), kind: textAt(call, "kind") ?? "other", paths: [...new Set(paths)] };
}

export const withoutNulls = (value: object): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null && one !== undefined)) as JsonObject;

/** The text of a content block, or its type if it has no text. */
export function blockText(block: unknown): string {
  if (!isJsonObject(block)) return "";
  return textAt(block, "text") ?? textAt(block, "uri") ?? `[${textAt(block, "type") ?? "something without a type"}]`;
}

function outputIn(call: JsonObject, outputOf: (terminalId: string) => string): string {
  const pieces = listAt(call, "content").map((piece) => {
    if (piece["type"] === "terminal") return outputOf(String(piece["terminalId"]));
    return piece["type"] === "content" ? blockText(piece["content"]) : "";
  });
  const text = pieces.filter((piece) => piece !== "").join("\n");
  const rest = text.length - MOST_OUTPUT;
  return rest > 0 ? `${text.slice(0, MOST_OUTPUT)}\n[${rest} more characters]` : text;
}

const textAt = (value: JsonObject, key: string): string | undefined => {
  const found = value[key];
  return typeof found === "string" && found !== "" ? found : undefined;
};

const listAt = (value: JsonObject, key: string): readonly JsonObject[] => {
  const found = value[key];
  return Array.isArray(found) ? found.filter(isJsonObject) : [];
};
