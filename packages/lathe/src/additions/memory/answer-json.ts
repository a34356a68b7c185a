// The JSON in an answer of a model, which may have put words or a fence around it.

import { parseJson } from "@lathe/llm";

export function jsonIn(answer: string): unknown {
  const first = answer.indexOf("{");
  const last = answer.lastIndexOf("}");
  return first < 0 || last < first ? undefined : parseJson(answer.slice(first, last + 1));
}
