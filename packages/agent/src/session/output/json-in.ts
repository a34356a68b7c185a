// Finds the JSON in an answer. Models often put a fence and some words around it.

import type { JsonValue } from "@lathe/llm";

/** `json`: the value as the model wrote it. */
export interface FoundJson {
  readonly value: JsonValue;
  readonly json: string;
}

/** The candidates: the answer as a whole, otherwise its fenced blocks, otherwise the objects and lists in its text. */
export function jsonIn(answer: string): { readonly found: readonly FoundJson[]; readonly problem: string } {
  const whole = parseJson(answer.trim());
  if (typeof whole !== "string") return { found: [whole], problem: "" };
  const fences = [...answer.matchAll(/```(?:json)?[ \t]*\n(.*?)\n[ \t]*```/gs)].map(([, inner = ""]) =>
    parseJson(inner),
  );
  const fenced = fences.filter((one) => typeof one !== "string");
  return { found: fenced.length > 0 ? fenced : jsonInProse(answer), problem: whole };
}

/** Returns a text that says why it is not JSON. */
function parseJson(json: string): FoundJson | string {
  try {
    return { value: JSON.parse(json) as JsonValue, json };
  } catch (error) {
    return (error as Error).message;
  }
}

/** Prose contains brackets too, and each opening one costs a scan of the rest. */
const MOST_LOOKS = 100;

function jsonInProse(answer: string): FoundJson[] {
  const found: FoundJson[] = [];
  const opening = /[[{]/g;
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const start = opening.exec(answer)?.index;
    if (start === undefined) break;
    const one = parseJson(answer.slice(start, endOf(answer, start)));
    if (typeof one === "string") continue;
    found.push(one);
    opening.lastIndex = start + one.json.length;
  }
  return found;
}

/** The index after the bracket that closes the one at `start`; brackets in strings are text. */
function endOf(answer: string, start: number): number {
  const token = /"(?:[^"\\]|\\.)*"|[[\]{}]/gs;
  token.lastIndex = start;
  let depth = 0;
  for (let match = token.exec(answer); match; match = token.exec(answer)) {
    if (match[0] === "[" || match[0] === "{") depth++;
    else if (match[0] === "]" || match[0] === "}") depth--;
    if (depth === 0) return token.lastIndex;
  }
  return start;
}
