// What a long session sends again: vendors charge a tenth for input that repeats the beginning of the previous request.

import { expect, it } from "vitest";
import { compacting, lorem, sentText } from "./support.ts";

const PROMPTS = process.env["LATHE_LONG"] ? 300 : 150;

it.each([
  { window: 100_000, output: 1100, answer: 2200 },
  { window: 32_000, output: 200, answer: 900 },
])(
  `E ${PROMPTS} prompts that fill the context again and again, %j: at least 95 % of the input repeats`,
  async ({ window, output, answer }) => {
    const s = compacting({
      window,
      work: (_request, index) =>
        index % 2 === 0
          ? { calls: [{ name: "big", id: `c${index}`, args: { word: `c${index}.`, tokens: output } }] }
          : { text: `a${index}. ${lorem(answer)}` },
    });
    for (let prompt = 0; prompt < PROMPTS; prompt++) await s.session.submit(`question ${prompt}: ${lorem(30)}`);
    const sent = s.work().map(sentText);
    const repeated = sent.slice(1).reduce((sum, text, at) => sum + commonLength(sent[at]!, text), 0);
    const all = sent.slice(1).reduce((sum, text) => sum + text.length, 0);
    expect(s.of("prefix_changed").length).toBeGreaterThan(5);
    expect(repeated / all).toBeGreaterThan(0.95);
    await s.finish();
  },
  60_000,
);

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
