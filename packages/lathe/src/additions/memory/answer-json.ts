// The JSON in a model's answer, which may have text or a fence around it.

import { parseJson } from "@lathe/llm";

export function jsonIn(answer: string): unknown {
  const first = answer.indexOf("{");
  const last = answer.lastIndexOf("}");
  return first < 0 || last < first ? undefined : parseJson(answer.slice(first, last + 1));
}
