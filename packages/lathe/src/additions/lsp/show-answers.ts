// Servers' answers about symbols as text: hovers, outlines, calls.

import { visibleName } from "@lathe/agent/base";
import { isJsonObject } from "@lathe/llm";
import { toPath } from "./addresses.ts";
import { isRange } from "./protocol.ts";

const MOST_SYMBOLS = 200;
const DEEPEST = 8;

const KINDS =
  "file module namespace package class method property field constructor enum interface function variable constant string number boolean array object key null enum-member struct event operator type-parameter".split(
    " ",
  );

const kindOf = (kind: unknown): string => (typeof kind === "number" ? (KINDS[kind - 1] ?? "symbol") : "symbol");

/** The line, counted from 1; empty if the value is not a range. */
const lineOf = (range: unknown): number[] => (isRange(range) ? [range.start.line + 1] : []);

export function showHover(answer: unknown): string | undefined {
  const contents = isJsonObject(answer) ? answer["contents"] : undefined;
  const parts = [contents]
    .flat()
    .map((part) => (isJsonObject(part) ? String(part["value"] ?? "") : String(part ?? "")));
  const text = parts.join("\n\n").trim();
  return text === "" ? undefined : text;
}

/** An outline of a file, or symbols of a project with the files they are in. */
export function showSymbols(answer: unknown, shorten: (path: string) => string): string {
  const lines: string[] = [];
  const visit = (list: unknown, depth: number): void => {
    for (const one of Array.isArray(list) && depth < DEEPEST ? list : []) {
      if (!isJsonObject(one) || lines.length > MOST_SYMBOLS) continue;
      const { name, kind, range, selectionRange, location, children } = one;
      const inFile =
        isJsonObject(location) && typeof location["uri"] === "string" ? toPath(location["uri"]) : undefined;
      const at = [selectionRange, range, isJsonObject(location) ? location["range"] : undefined].flatMap(lineOf)[0];
      const line = at === undefined ? "" : `:${at}`;
      const place = inFile === undefined ? line.slice(1) : `${shorten(inFile)}${line}`;
      lines.push(`${"  ".repeat(depth)}${place} ${kindOf(kind)} ${visibleName(String(name))}`);
      visit(children, depth + 1);
    }
  };
  visit(answer, 0);
  return lines.length > MOST_SYMBOLS ? [...lines.slice(0, MOST_SYMBOLS), "… and more"].join("\n") : lines.join("\n");
}

export function showCalls(
  answer: unknown,
  direction: "incoming" | "outgoing",
  name: string,
  shorten: (path: string) => string,
): string {
  const lines = (Array.isArray(answer) ? answer : []).flatMap((call) => {
    const item = isJsonObject(call) ? call[direction === "incoming" ? "from" : "to"] : undefined;
    if (!isJsonObject(item) || typeof item["uri"] !== "string") return [];
    const [at = 1] = lineOf(item["selectionRange"]);
    const where = (isJsonObject(call) ? [call["fromRanges"]].flat() : []).flatMap(lineOf).join(", ");
    const path = toPath(item["uri"]);
    const calls = where === "" ? "" : ` (calls on line ${where})`;
    return `${path === undefined ? visibleName(item["uri"]) : shorten(path)}:${at} ${kindOf(item["kind"])} ${visibleName(String(item["name"]))}${calls}`;
  });
  if (lines.length > 0) return lines.slice(0, MOST_SYMBOLS).join("\n");
  return direction === "incoming" ? `Nothing calls ${name}.` : `${name} calls nothing that the server knows.`;
}
