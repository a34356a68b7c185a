// What the model is told about a call that started agents and was cut off when its process ended.

import { type Child, reportOf } from "./child.ts";
import { resultText } from "./result-text.ts";

/** By then we know how all of them ended. */
export function cutCallText(children: readonly Child[]): string | undefined {
  if (children.length === 0) return undefined;
  const head = "[The process ended during this call. These agents had been started, and no others:]";
  const results = children.map((child) => {
    const { agentId } = child.facts.header;
    return child.facts.isReported ? `${agentId}: its result reaches you as a message.` : resultText(reportOf(child));
  });
  return [head, ...results].join("\n\n");
}
