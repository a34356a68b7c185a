// lathe review with the real command, a real repository, real views and scripted reviewers.

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { violationOf } from "@lathe/llm";
import { commonPrefix, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { has } from "../../agent/test/programs.ts";
import type { ReviewReport } from "../src/conversation/review/report.ts";
import { publishedSchema } from "./contract-kit.ts";
import { lensOf, pictureOf, type ReportedFinding, type ReviewScene, type Roles, reviewScene } from "./review-kit.ts";

let scene: ReviewScene;
afterEach(() => scene.close());

const LENSES = ["correctness", "security", "tests", "simplicity"];
const CODE = Array.from({ length: 40 }, (_, n) => `  const value${n} = compute(${n}, input[${n}]);`);

async function setUpScene(roles: Roles = {}): Promise<void> {
  scene = await reviewScene(roles);
  scene.write("src/run.js", "export function run(input) {\n}\n");
  scene.git("add", "-A");
  scene.git("commit", "-qm", "first");
}
const change = (): void => scene.write("src/run.js", `export function run(input) {\n${CODE.join("\n")}\n}\n`);
const at = (line: number, more: Partial<ReportedFinding> = {}): ReportedFinding => ({
  title: `Problem of ${line}`,
  body: "It goes wrong.",
  path: "src/run.js",
  line,
  quote: CODE[line - 2] ?? "",
  priority: "P1",
  ...more,
});
const json = async (...args: string[]): Promise<ReviewReport & { readonly code: number | null }> => {
  const { code, stdout, stderr } = await scene.review(["--json", ...args]);
  if (!stdout.startsWith("{")) throw new Error(stderr);
  return { code, ...(JSON.parse(stdout) as ReviewReport) };
};
const resultTexts = (): string[] =>
  scene.server.requests.flatMap(({ view }) => view.messages.flatMap(({ results }) => results.map(({ text }) => text)));

describe("lathe review", () => {
  it("T-HID-1 12 true findings pass and 12 with false quotes are dropped; the diff is paid once", async () => {
    const lies = [
      (line: number) => at(line, { quote: `  const value${line} = compute(${line}, input.${line});` }),
      (line: number) => at(line, { quote: "return eval(input)" }),
      (line: number) => at(line, { path: "src/gone.js" }),
    ];
    await setUpScene({
      findings: (lens) => {
        const first = 2 + LENSES.indexOf(lens) * 3;
        return [first, first + 1, first + 2].flatMap((line, i) => [at(line, { priority: `P${i}` }), lies[i]!(line)]);
      },
    });
    change();
    const report = await json();
    expect(report).toMatchObject({ code: 1, exitCode: 1, status: "findings", range: "uncommitted changes" });
    expect(report.findings.map(({ priority, line }) => `${priority}:${line}`)).toEqual(
      [0, 1, 2].flatMap((p) => [2, 5, 8, 11].map((line) => `P${p}:${line + p}`)),
    );
    for (const { quote, line } of report.findings) expect(quote).toBe(CODE[line - 2]!.trim());
    expect(report.dropped.map(({ dropped }) => dropped)).toEqual([
      ...Array(8).fill("false_quote"),
      ...Array(4).fill("no_place"),
    ]);
    expect(report.cost).toBeGreaterThan(0);
    const { code: _, ...printed } = report;
    expect(await violationOf(await publishedSchema("review"), printed as never)).toBeUndefined();
    const first = scene.server.requests.filter((request) => LENSES.includes(lensOf(request)));
    expect(first).toHaveLength(4);
    for (const { prefix, lostTail } of commonPrefix(first))
      expect(prefix.length / (prefix.length + lostTail.length)).toBeGreaterThanOrEqual(0.9);
  });

  it("a lens that fails is said and the others stand; what two report is one; what the critic refutes is not reported", async () => {
    await setUpScene({
      findings: (lens) =>
        lens === "correctness"
          ? [at(4, { title: "Reads past the end of input", line: 30 }), at(9)]
          : [at(4, { title: "reads past the end of the input", priority: "P0" })],
      reviewer: (lens) => (lens === "tests" ? turn.error(400, { message: "Too much." }) : undefined),
      holds: (listed) => !listed.includes("Problem of 9"),
    });
    change();
    const { code, stdout, stderr } = await scene.review([]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Review of uncommitted changes \(1 file, \+40 -0\): incomplete, 1 finding\.\n/);
    expect(stdout).toContain(
      "1. [P0] reads past the end of the input\n   src/run.js:4  (correctness, security, simplicity)\n   > const value2 = compute(2, input[2]);\n   It goes wrong.",
    );
    expect(stdout).toMatch(/Not complete: tests failed: .*Too much\./);
    expect(stdout).toContain("Left out: 2 reported twice, 1 not confirmed by the critic.");
    expect(stderr).toContain("lathe: correctness: 2 findings\n");
    // Whoever continues can speak of "1".
    const next = await scene.run(["-c", "-p", "fix 1"]);
    expect(next.stdout).toBe("I am the session.\n");
    expect(scene.server.requests.at(-1)!.text).toContain("reads past the end of the input");
  });

  it("a review that found nothing because somebody failed does not look like a clean one", async () => {
    let isBroken = true;
    await setUpScene({
      findings: () => (isBroken ? [at(5)] : []),
      critic: () => turn.error(400, { message: "No." }),
    });
    change();
    const broken = await scene.review([]);
    expect(broken.code).toBe(3);
    expect(broken.stdout).toContain("Not judged: [P1] src/run.js:5 Problem of 5");
    isBroken = false;
    expect(await json()).toMatchObject({ code: 0, status: "clean", findings: [] });
  });

  it("reviewers that answer nonsense have failed: the review is incomplete and exits with 3", async () => {
    await setUpScene({ reviewer: () => turn.text("Blue is a fine colour.") });
    change();
    const { code, stdout } = await scene.review([]);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^Review of uncommitted changes .*: incomplete, no findings\.\n/);
    for (const lens of ["correctness", "security", "tests", "simplicity"])
      expect(stdout).toContain(`Not complete: ${lens} failed: it ended without a verdict\n`);
  });

  it("one reviewer that answers nonsense is named beside what the others found", async () => {
    let hasFindings = true;
    await setUpScene({
      findings: (lens) => (hasFindings && lens === "security" ? [at(5)] : []),
      reviewer: (lens) => (lens === "tests" ? turn.text("Blue is a fine colour.") : undefined),
    });
    change();
    const { code, stdout } = await scene.review([]);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /: incomplete, 1 finding\.\n[\s\S]*src\/run\.js:5[\s\S]*Not complete: tests failed: it ended/,
    );
    expect(stdout).not.toMatch(/correctness failed|clean/);
    expect((await scene.box.run(["sessions", "list"], { env: scene.env })).stdout).toContain(
      "Review of uncommitted changes",
    );
    hasFindings = false;
    expect(await json()).toMatchObject({ code: 3, status: "incomplete", findings: [] });
  });

  it("says in one line what is wrong, asks no model then, and leaves nothing behind", async () => {
    await setUpScene();
    expect(await scene.review(["nope..HEAD"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^lathe: There is no commit "nope" here\..*\n$/),
    });
    expect(await scene.review([], scene.box.home)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^lathe: .* is not in a git repository.*\n$/),
    });
    expect(await scene.review([])).toMatchObject({ code: 0, stdout: expect.stringContaining("nothing to review") });
    expect(readdirSync(scene.box.dir)).toEqual([".git", "src"]);
    expect(scene.server.requests).toEqual([]);
  });

  it("a budget that is used up ends the review with its own exit code", async () => {
    await setUpScene({ reviewer: () => turn.calls([{ name: "read_file", args: { file_path: "src/run.js" } }]) });
    change();
    const { code, lenses } = await json("--max-turns", "6");
    expect(code).toBe(5);
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
    await setUpScene({
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
    const { code, status, view } = await json("--permission-mode", "full");
    expect({ code, status, view }).toEqual({ code: 0, status: "clean", view: "overlay" });
    const results = resultTexts();
    expect(results.length).toBeGreaterThanOrEqual(24);
    for (const text of results)
      expect(text).toMatch(
        /read-only: (?:nothing may be changed or run|only commands that are known to change nothing may run, and )/,
      );
    expect(pictureOf(scene.box.dir)).toEqual(before);
    expect(readdirSync(scene.box.home)).not.toContain("evil");
    const views = join(scene.box.home, ".lathe/views");
    expect(readdirSync(views).flatMap((name) => readdirSync(join(views, name)))).toEqual([]);
  });

  it("reviewers of a commit read its files, not those on the disk, and quotes are checked against it", async () => {
    await setUpScene({
      findings: (lens) => (lens === "tests" ? [at(3), at(4, { quote: "Only on the disk." })] : []),
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
    expect(dropped).toMatchObject([{ dropped: "false_quote" }]);
    const read = resultTexts().join("\n");
    expect(read).toContain("value39");
    expect(read).toContain("second");
    expect(read).not.toContain("Only on the disk");
    expect(read).not.toContain("Untracked.");
  });
});
