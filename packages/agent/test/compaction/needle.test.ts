// Facts hidden all over a session, and a summarizer that omits every one of them.

import { describe, expect, it } from "vitest";
import type { CompactionStrategy } from "../../src/context/compaction/settings.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import { recallTool } from "../../src/tools/builtin/recall/index.ts";
import type { ScriptedTurn } from "../support/scripted-client.ts";
import { testProfile, tool } from "../support/session.ts";
import { big, compacting, lorem, NOTES, seeing, sentText } from "./support.ts";

const fact = (where: string, n: number): string => `the ${where}code of room ${where}${n} is ${where}-${n * 7919}`;
const of = (where: string): string[] => Array.from({ length: 10 }, (_, n) => fact(where, n));
const [user, instructions, output, file] = ["user", "rule", "output", "file"].map(of) as [
  string[],
  string[],
  string[],
  string[],
];

/** One conversation: ten inputs, each with a command's output, a file's content and much talk. */
async function talk(options: { strategy?: CompactionStrategy; window?: number; userTokens?: number } = {}) {
  const { strategy = "context-full", window = 40_000, userTokens = 0 } = options;
  let round = 0;
  /** Plays these in order instead of the plan. */
  const ask: ScriptedTurn[] = [];
  const read = tool("read", ({ n }) => `${file[Number(n)] ?? ""} ${lorem(1000)}`);
  const tools = [big, read, recallTool as unknown as ToolDef];
  const s = compacting({
    settings: { strategy, keepRecentTokens: 4000 },
    profile: testProfile(tools, { contextWindowSize: window, modelInfo: seeing() }),
    userInstructions: instructions.join("\n"),
    summary: () => ({ text: NOTES }),
    work: () => {
      const asked = ask.shift();
      if (asked) return asked;
      const n = Math.floor(round / 3);
      const step = round++ % 3;
      if (step === 0)
        return {
          text: lorem(1500),
          calls: [{ name: "big", id: `o${n}`, args: { word: output[n] ?? "", tokens: 1000 } }],
        };
      if (step === 1) return { text: lorem(1500), calls: [{ name: "read", id: `f${n}`, args: { n } }] };
      return { text: `finished ${n}` };
    },
  });
  for (const line of user) await s.session.submit(`${line} ${lorem(userTokens)}`);
  /** The text of the next request. */
  const seen = async (): Promise<string> => {
    round = 2;
    await s.session.submit("and?");
    return sentText(s.work().at(-1)!);
  };
  return { s, ask, seen };
}

describe.each(["context-full", "shake", "snapcompact"] as const)("strategy %s", (strategy) => {
  it("what the user and the instructions said is there word for word; the rest is there or one recall away", async () => {
    const t = await talk({ strategy });
    const { s, seen } = t;
    const context = await seen();
    for (const line of [...user, ...instructions]) expect(context).toContain(line);
    const missing = [...output, ...file].filter((line) => !context.includes(line));
    expect(missing.length).toBeGreaterThan(0);
    for (const line of missing) expect(await found(t, line.split(" is ")[0]!)).toContain(line);
    await s.finish();
  });
});

describe("more than there is room for", () => {
  it.each(["context-full", "snapcompact"] as const)(
    "three compactions in a row keep every word of the user: %s",
    async (strategy) => {
      const { s, seen } = await talk({ strategy });
      for (let n = 0; n < 3; n++) {
        await s.session.submit(`again ${n}`);
        await s.session.compact(s.compaction.demand({ trigger: "manual" }));
      }
      expect(s.of("compaction_end").filter(({ data }) => data.entry_id !== undefined).length).toBeGreaterThanOrEqual(3);
      const context = await seen();
      for (const line of [...user, ...instructions]) expect(context).toContain(line);
      await s.finish();
    },
  );

  it("user turns beyond their share are found by recall, the newest are in the context", async () => {
    const t = await talk({ userTokens: 1500 });
    const { s, seen } = t;
    const context = await seen();
    expect(context).toContain(user.at(-1));
    const missing = user.filter((line) => !context.includes(line));
    expect(missing.length).toBeGreaterThan(0);
    for (const line of missing) expect(await found(t, line.split(" is ")[0]!)).toContain(line);
    await s.finish();
  });
});

/** What the model reads if it calls the tool once. */
async function found({ s, ask }: Awaited<ReturnType<typeof talk>>, query: string): Promise<string> {
  ask.push({ calls: [{ name: "recall", id: `r${s.work().length}`, args: { query } }] }, { text: "found" });
  await s.session.submit("look");
  return s.of("tool_call_end").findLast(({ data }) => data.tool_name === "recall")?.data.output ?? "";
}
