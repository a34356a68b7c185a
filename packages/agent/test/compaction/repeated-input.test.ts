// What a long session sends again: vendors charge a tenth for input that repeats the beginning of the request before.

import { expect, it } from "vitest";
import { compacting, lorem, sentText } from "./support.ts";

it("E 300 prompts whose answers and output fill the context again and again: at least 95 % of the input repeats", async () => {
  const s = compacting({
    work: (_request, index) =>
      index % 2 === 0
        ? { calls: [{ name: "big", id: `c${index}`, args: { word: `c${index}.`, tokens: 1100 } }] }
        : { text: `a${index}. ${lorem(2200)}` },
  });
  for (let prompt = 0; prompt < 300; prompt++) await s.session.submit(`question ${prompt}: ${lorem(30)}`);
  const sent = s.work().map(sentText);
  const repeated = sent.slice(1).reduce((sum, text, at) => sum + commonLength(sent[at]!, text), 0);
  const all = sent.slice(1).reduce((sum, text) => sum + text.length, 0);
  expect(s.of("prefix_changed").length).toBeGreaterThan(5);
  expect(repeated / all).toBeGreaterThan(0.95);
  await s.finish();
}, 60_000);

function commonLength(before: string, after: string): number {
  let low = 0;
  let high = Math.min(before.length, after.length);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (before.slice(0, middle) === after.slice(0, middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
