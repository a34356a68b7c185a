// Parts that the cards of several tools share.

import { isJsonObject, type JsonObject, type JsonValue } from "@lathe/llm";
import type { Card, CardBody, CardResult } from "../../contract/card.ts";

/** Lines shown below a headline, unless the tool says otherwise. */
export const COLLAPSED_LINES = 5;

/** The verbs for a call that is running, has succeeded, or has failed. */
export type Verbs = readonly [running: string, done: string, failed: string];

export function verbOf([running, done, failed]: Verbs, result: CardResult | undefined): string {
  if (!result) return running;
  return result.isError ? failed : done;
}

export const countOf = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

export const numberIn = (details: JsonObject, name: string): number | undefined => {
  const value = details[name];
  return typeof value === "number" ? value : undefined;
};

export const objectsIn = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

/** A call that only looks something up: one line, grouped with its neighbours. */
export function exploringCard(
  verbs: Verbs,
  subject: string,
  result: CardResult | undefined,
  outcome: (details: JsonObject) => string | undefined,
): Card {
  return {
    verb: verbOf(verbs, result),
    subject,
    namesFiles: true,
    outcome: result && !result.isError ? outcome(result.details) : undefined,
    group: "explored",
  };
}

export const tail = (text: string, collapsed = COLLAPSED_LINES): CardBody => ({
  kind: "output",
  text,
  keeps: "tail",
  collapsed,
});

export const markdown = (text: string, collapsed: number): CardBody => ({ kind: "markdown", text, collapsed });
