import { type RenderContext, rowText, rowWidth, SYMBOL_SETS } from "@lathe/tui";
import { expect, it } from "vitest";
import { type StatusFacts, StatusLine } from "./status-line.ts";

const FACTS: StatusFacts = {
  model: "anthropic/claude-opus-4-6",
  effort: "high",
  contextTokens: 62_000,
  contextWindow: 200_000,
  compactsAt: 183_616,
  cost: 0.42,
  cwd: "~/code/demo",
  branch: "main",
  permissionMode: "auto-edit",
  jobs: 2,
  children: 1,
};

const context = (columns: number): RenderContext => ({ columns, rows: 40, symbols: SYMBOL_SETS.unicode, now: 0 });
const shown = (
  columns: number,
  facts: StatusFacts = FACTS,
  parts?: ConstructorParameters<typeof StatusLine>[1],
): string => new StatusLine(() => facts, parts).render(context(columns)).map(rowText).join("\n");

it("a wide terminal has everything, a narrow one the most important parts, none of them cut", () => {
  expect([200, 120, 80, 40, 20].map((columns) => shown(columns).replace(/ {3,}/, "   "))).toEqual([
    "auto-edit · ~/code/demo · ⎇ main · 2 jobs · 1 agent   claude-opus-4-6 high · ███░░░░░░│ 31% of 200k · $0.42",
    "auto-edit · ~/code/demo · ⎇ main · 2 jobs · 1 agent   claude-opus-4-6 high · ███░░░░░░│ 31% of 200k · $0.42",
    "auto-edit · demo · ⎇ main · 2 jobs · 1 agent  claude-opus-4-6 high · 31% · $0.42",
    "auto-edit   claude-opus-4-6 · 31%",
    "claude-opus-4-6",
  ]);
  for (let columns = 1; columns <= 220; columns++)
    for (const row of new StatusLine(() => FACTS).render(context(columns)))
      expect(rowWidth(row)).toBeLessThanOrEqual(columns);
});

it("shows that commands are confined", () => {
  expect(shown(200, { ...FACTS, isSandboxed: true })).toMatch(/^auto-edit sandbox · ~\/code\/demo/);
});

it("G-22 names the isolated copy of the run", () => {
  expect(shown(200, { ...FACTS, view: "feat-x" })).toContain("auto-edit · ~/code/demo · copy feat-x · ⎇ main");
});

it("a context that is 0 % full has an empty bar, one of 1 % a cell", () => {
  const bar = (contextTokens: number): string => shown(120, { ...FACTS, contextTokens });
  expect(bar(900)).toContain("░░░░░░░░░│ 0% of 200k");
  expect(bar(1_000)).toContain("█░░░░░░░░│ 1% of 200k");
});

it("the right side ends at the right edge", () => {
  expect(rowWidth(new StatusLine(() => FACTS).render(context(150))[0] as never)).toBe(150);
});

it("a setting chooses the parts and their order", () => {
  expect(shown(120, FACTS, ["cost", "model", "branch"]).replace(/ {3,}/, "   ")).toBe(
    "⎇ main   $0.42 · claude-opus-4-6 high",
  );
});

it("what is not there leaves no separators behind", () => {
  const bare: StatusFacts = {
    ...FACTS,
    branch: undefined,
    jobs: 0,
    children: 0,
    cost: 0,
    contextTokens: 0,
    effort: undefined,
  };
  expect(shown(80, bare).replace(/ {3,}/, "   ")).toBe(
    "auto-edit · ~/code/demo   claude-opus-4-6 · ░░░░░░░░░│ 0% of 200k",
  );
});

it("a branch name cannot move the cursor", () => {
  expect(shown(120, { ...FACTS, branch: "a\u001b[2Jb" })).toContain("a\\x1b[2Jb");
});

it("an unchanged line is the same rows, so that nothing is painted", () => {
  const line = new StatusLine(() => ({ ...FACTS }));
  expect(line.render(context(80))).toBe(line.render(context(80)));
});
