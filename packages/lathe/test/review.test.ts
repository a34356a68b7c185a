// lathe review with the real command, a real repository, real views and scripted reviewers.

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { has } from "../../agent/test/programs.ts";
import { lensOf, pictureOf, type ReportedFinding, type ReviewScene, type Roles, reviewScene } from "./review-kit.ts";

let scene: ReviewScene;
afterEach(() => scene.close());

const LENSES = ["correctness", "security", "tests", "simplicity"];
const CODE = Array.from({ length: 40 }, (_, n) => `  const value${n} = compute(${n}, input[${n}]);`);
const code = (): string => `export function run(input) {\n${CODE.join("\n")}\n}\n`;

async function scened(roles: Roles = {}): Promise<void> {
  scene = await reviewScene(roles);
  scene.write("src/run.js", "export function run(input) {\n}\n");
  scene.git("add", "-A");
  scene.git("commit", "-qm", "first");
}
const change = (): void => scene.write("src/run.js", code());
const at = (line: number, more: Partial<ReportedFinding> = {}): ReportedFinding => ({
  title: `Problem of ${line}`,
  body: "It goes wrong.",
  path: "src/run.js",
  line,
  quote: CODE[line - 2],
  priority: "P1",
  ...more,
});
const json = async (...args: string[]) => {
  const { code: exit, stdout, stderr } = await scene.review(["--json", ...args]);
  return { exit, stderr, ...(JSON.parse(stdout) as Record<string, never>) } as {
    exit: number;
    stderr: string;
    status: string;
    view: string;
    range: string;
    cost: number;
    usage: { totalTokens: number };
    findings: { title: string; line: number; path: string; quote: string; priority: string; lenses: string[] }[];
    dropped: { title: string; dropped: string; why: string }[];
    lenses: { name: string; status: string; findings: number; why?: string }[];
    sessionId: string | null;
  };
};

describe("lathe review", () => {
  it("12 true findings pass and 12 with false quotes are dropped, in the same order each time", async () => {
    const lies = [
      (line: number) => at(line, { quote: `  const value${line} = compute(${line}, input.${line});` }),
      (line: number) => at(line, { quote: "return eval(input)" }),
      (line: number) => at(line, { path: "src/gone.js" }),
    ];
    const findings = (lens: string): ReportedFinding[] => {
      const first = 2 + LENSES.indexOf(lens) * 3;
      return [first, first + 1, first + 2].flatMap((line, i) => [at(line, { priority: `P${i}` }), lies[i]!(line)]);
    };
    await scened({ findings });
    change();
    const runs = [await json(), await json()];
    const [{ findings: passed, dropped, ...rest }, again] = runs as [(typeof runs)[0], (typeof runs)[0]];
    expect(rest).toMatchObject({ exit: 1, status: "findings", range: "uncommitted changes" });
    expect(passed).toHaveLength(12);
    expect(passed.map(({ priority, line }) => `${priority}:${line}`)).toEqual(
      [0, 1, 2].flatMap((p) => [2, 5, 8, 11].map((line) => `P${p}:${line + p}`)),
    );
    for (const { quote, line } of passed) expect(quote).toBe(CODE[line - 2]!.trim());
    expect(dropped).toHaveLength(12);
    expect(new Set(dropped.map(({ dropped: why }) => why))).toEqual(new Set(["false_quote", "no_place"]));
    expect([again.findings, again.dropped]).toEqual([passed, dropped]);
  });

  it("without the critic's yes nothing is reported, and the text says what was left out", async () => {
    await scened({
      findings: (lens) => [at(2 + LENSES.indexOf(lens))],
      holds: (listed) => listed.includes("Problem of 3"),
    });
    change();
    const { code: exit, stdout } = await scene.review([]);
    expect(exit).toBe(1);
    expect(stdout).toContain("Review of uncommitted changes (1 file, +40 -0): 1 finding.");
    expect(stdout).toContain(
      "1. [P1] Problem of 3\n   src/run.js:3  (security)\n   > const value1 = compute(1, input[1]);",
    );
    expect(stdout).toContain("Left out: 3 not confirmed by the critic.");
  });

  it("the same problem reported by two lenses is one finding with both names; a wrong line number is corrected", async () => {
    await scened({
      findings: (lens) =>
        lens === "correctness"
          ? [at(4, { title: "Reads past the end of input", line: 30 })]
          : lens === "security"
            ? [at(4, { title: "reads past the end of the input", priority: "P0" })]
            : [],
    });
    change();
    const { findings, dropped } = await json();
    expect(findings).toMatchObject([{ line: 4, priority: "P0", lenses: ["correctness", "security"] }]);
    expect(dropped).toMatchObject([{ dropped: "duplicate" }]);
  });

  it("a lens that fails is said, and the others stand", async () => {
    await scened({
      findings: () => [at(5)],
      reviewer: (lens) => (lens === "tests" ? turn.error(400, { message: "Too much." }) : undefined),
    });
    change();
    const found = await json();
    expect(found).toMatchObject({ exit: 1, status: "incomplete" });
    expect(found.findings).toMatchObject([{ line: 5, lenses: ["correctness", "security", "simplicity"] }]);
    expect(found.lenses.find(({ name }) => name === "tests")).toMatchObject({ status: "failed", why: /Too much/ });
  });

  it("a review that found nothing because a reviewer failed does not look like a good one; a clean one exits with 0", async () => {
    let isBroken = true;
    await scened({ reviewer: () => (isBroken ? turn.error(400, { message: "Too much." }) : undefined) });
    change();
    expect(await json()).toMatchObject({ exit: 3, status: "incomplete", findings: [] });
    isBroken = false;
    expect(await json()).toMatchObject({ exit: 0, status: "clean", findings: [] });
  });

  it("what a failed critic did not judge is named, not reported", async () => {
    await scened({ findings: () => [at(5)], critic: () => turn.error(400, { message: "No." }) });
    change();
    const { code: exit, stdout } = await scene.review([]);
    expect(exit).toBe(3);
    expect(stdout).toContain("no findings");
    expect(stdout).toContain("Not judged: [P1] src/run.js:5 Problem of 5");
  });

  it("says in one line what is wrong: no repository, no such commit, nothing to review, too many ranges", async () => {
    await scened();
    const said = async (...args: string[]) => {
      const { code: exit, stdout, stderr } = await scene.review(args);
      return { exit, text: `${stdout}${stderr}`.trim() };
    };
    expect(await said()).toEqual({ exit: 0, text: expect.stringContaining("There is nothing to review") });
    expect(await said("nope..HEAD")).toEqual({
      exit: 2,
      text: expect.stringContaining('There is no commit "nope" here.'),
    });
    expect(await said("HEAD..HEAD")).toEqual({
      exit: 0,
      text: "There is nothing to review: HEAD..HEAD changes no files.",
    });
    expect(await said("a", "b")).toEqual({ exit: 2, text: expect.stringContaining("takes one range") });
    expect(await said("--", "--output=x")).toEqual({ exit: 2, text: expect.stringContaining("There is no commit") });
    const outside = await scene.review([], scene.box.home);
    expect(outside).toMatchObject({ code: 2, stderr: expect.stringMatching(/is not in a git repository.*\n$/) });
    expect(readdirSync(scene.box.dir)).toEqual([".git", "src"]);
    expect(scene.server.requests).toEqual([]);
  });

  it("ranges mean what git means: uncommitted and untracked files, a branch, since a commit, one commit", async () => {
    await scened();
    const seen = async (...args: string[]) => {
      const before = scene.server.requests.length;
      const { range } = await json(...args);
      const text = scene.server.requests[before]!.text;
      return { range, has: (words: string) => text.includes(words) };
    };
    scene.git("checkout", "-qb", "topic");
    scene.write("src/one.js", "export const one = 1;\n");
    scene.git("add", "-A");
    scene.git("commit", "-qm", "one");
    const branch = await seen();
    expect([branch.range, branch.has("+export const one = 1;")]).toEqual(["main...HEAD", true]);
    change();
    scene.write("new file.js", "export const fresh = 3;\n");
    const open = await seen();
    expect([
      open.range,
      open.has("+export const fresh = 3;"),
      open.has("value39"),
      open.has("+export const one"),
    ]).toEqual(["uncommitted changes", true, true, false]);
    const since = await seen("HEAD~1");
    expect([since.has("+export const one"), since.has("+export const fresh")]).toEqual([true, true]);
    const alone = await seen(scene.git("rev-parse", "HEAD").trim());
    expect([alone.has("+export const one"), alone.has("value39")]).toEqual([true, false]);
    const root = await seen(`${scene.git("rev-parse", "main").trim()}`);
    expect(root.has("+export function run")).toBe(true);
  });

  it("SA-02 reviewers share one prefix with the diff in it, and their cost is in the report and the session", async () => {
    await scened({ findings: () => [at(5)] });
    change();
    const { sessionId, usage, cost } = await json();
    const first = scene.server.requests.filter((request) => LENSES.includes(lensOf(request)));
    expect(first.map(lensOf).sort()).toEqual([...LENSES].sort());
    expect(usage.totalTokens).toBeGreaterThan(0);
    expect(cost).toBeGreaterThan(0);
    const shown = await scene.box.run(["sessions", "show", sessionId!]);
    expect(shown.stdout).toContain("Problem of 5");
  });

  it("a budget that is used up ends the review with its own exit code", async () => {
    await scened({ reviewer: () => turn.calls([{ name: "read_file", args: { file_path: "src/run.js" } }]) });
    change();
    const { exit, lenses } = await json("--max-turns", "9");
    expect(exit).toBe(5);
    for (const { status, why } of lenses) expect([status, why]).toEqual(["failed", expect.stringContaining("used up")]);
  });
});

describe.skipIf(!has("bwrap", "nsenter", "unshare"))("views of reviewers (needs bwrap, nsenter, unshare)", () => {
  it("the project is byte for byte the same after reviewers who try to write by tools and commands", async () => {
    const writes = (dir: string) => [
      { name: "write_file", args: { file_path: join(dir, "src/run.js"), content: "evil" } },
      { name: "edit_file", args: { file_path: "src/run.js", old_string: "value1", new_string: "evil" } },
      { name: "shell", args: { command: "echo evil > src/run.js" } },
      { name: "shell", args: { command: `git -C ${dir} commit -aqm evil; git stash` } },
      { name: "shell", args: { command: `git diff --output=${dir}/evil.txt` } },
      { name: "shell", args: { command: `rm -rf ${dir}/src; touch ~/evil` } },
    ];
    await scened({
      reviewer: (_lens, { view }) =>
        view.messages.some(({ results }) => results.length > 0) ? undefined : turn.calls(writes(scene.box.dir)),
    });
    change();
    // Whatever its file gives it.
    scene.write(
      ".lathe/agents/reviewer.md",
      "---\nname: reviewer\ndescription: Mine\npermissions: full\n---\nDo it.\n",
    );
    await scene.box.run(["trust"]);
    const before = pictureOf(scene.box.dir);
    const { exit, status, view } = await json("--permission-mode", "full");
    expect({ exit, status, view }).toEqual({ exit: 0, status: "clean", view: "overlay" });
    const results = scene.server.requests.flatMap((request) => request.view.messages.flatMap((one) => one.results));
    expect(results.length).toBeGreaterThanOrEqual(24);
    for (const { text } of results) expect(text).toMatch(/read-only|cannot|not allowed|Unknown|denied/i);
    expect(pictureOf(scene.box.dir)).toEqual(before);
    expect(readdirSync(scene.box.home)).not.toContain("evil");
    expect(
      readdirSync(join(scene.box.home, ".lathe/views")).flatMap((name) =>
        readdirSync(join(scene.box.home, ".lathe/views", name)),
      ),
    ).toEqual([]);
  });

  it("reviewers of a commit read its files, not those on the disk, and quotes are checked against it", async () => {
    await scened({
      findings: () => [at(3), at(4, { quote: "Only on the disk." })],
      reviewer: (_lens, { view }) =>
        view.messages.some(({ results }) => results.length > 0)
          ? undefined
          : turn.calls([
              { name: "read_file", args: { file_path: "src/run.js" } },
              { name: "read_file", args: { file_path: "later.txt" } },
              { name: "shell", args: { command: "git log --oneline" } },
            ]),
    });
    change();
    scene.git("commit", "-qam", "second");
    scene.write("src/run.js", "Only on the disk.\n");
    writeFileSync(join(scene.box.dir, "later.txt"), "Untracked.\n");
    const { findings, dropped } = await json(scene.git("rev-parse", "HEAD").trim());
    expect(findings).toMatchObject([{ line: 3 }]);
    expect(dropped.map(({ dropped: why }) => why).sort()).toEqual([
      "duplicate",
      "duplicate",
      "duplicate",
      ...Array(4).fill("false_quote"),
    ]);
    const results = scene.server.requests.flatMap((request) => request.view.messages.flatMap((one) => one.results));
    const read = results.map(({ text }) => text).join("\n");
    expect(read).toContain("value39");
    expect(read).toContain("second");
    expect(read).not.toContain("Only on the disk");
    expect(read).not.toContain("Untracked.");
  });
});
