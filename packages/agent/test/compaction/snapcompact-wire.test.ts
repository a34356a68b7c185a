// Images of older history as each vendor gets them.

import { turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { Compaction } from "../../src/context/compaction/compaction.ts";
import { DEFAULT_COMPACTION } from "../../src/context/compaction/settings.ts";
import { DIALECTS, type Dialect, profileFor, wire } from "../support/wire.ts";
import { readText } from "./read-frame.ts";
import { lorem, seeing } from "./support.ts";

const SHAPES = {
  openai: { api: "openai-responses", cell: "stretched" },
  anthropic: { api: "anthropic-messages", cell: "plain" },
  gemini: { api: "google-generative-ai", cell: "plain" },
} as const satisfies Record<Dialect, unknown>;

/** Finds the base64 data in a body, whatever the fields around it are. */
const PNG = /iVBORw0KGgo[A-Za-z0-9+/=]+/g;

describe.each(DIALECTS)("over %s", (dialect) => {
  it("CO-08 every request after the compaction has the pictures, readable and unchanged", async () => {
    const { api, cell } = SHAPES[dialect];
    const strategy = "snapcompact";
    const compaction = new Compaction({
      settings: () => ({ ...DEFAULT_COMPACTION, strategy, keepRecentTokens: 2000 }),
    });
    // The script has no turn for a summary, so asking for one would fail.
    const answers = Array.from({ length: 5 }, (_, n) => turn.text(`answer ${n}. ${lorem(n < 3 ? 2000 : 10)}`));
    const w = await wire(dialect, answers, {
      profile: profileFor(dialect, [], { modelInfo: seeing(api) }),
      middleware: [compaction.middleware()],
    });
    for (const n of [0, 1, 2]) await w.session.submit(`question ${n}`);
    expect(await w.session.compact(compaction.demand({ trigger: "manual" }))).toEqual({});
    for (const n of [3, 4]) await w.session.submit(`question ${n}`);
    const [before, first, second] = w.server.requests
      .slice(2)
      .map(({ rawBody }) => rawBody.toString().match(PNG) ?? []);
    expect(before).toEqual([]);
    expect(first!.length).toBeGreaterThan(0);
    expect(second).toEqual(first);
    const pictured = w.server.requests.at(-1)!.view.messages.filter(({ images }) => images > 0);
    expect(pictured).toHaveLength(1);
    expect(pictured[0]!.text).toContain("<compaction_summary>");
    const read = first!.map((base64) => readText(Buffer.from(base64, "base64"), cell)).join("");
    expect(read).toContain("[User]: question 0\n[Assistant]: answer 0. lorem");
    expect(w.server.requests.at(-1)!.rawBody.includes('"detail":"original"')).toBe(dialect === "openai");
    await w.finish();
  });
});
