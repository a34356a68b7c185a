// `lathe commit --split`: several commits from one staged change. Every hunk is in exactly one, the last one gives what
// was staged, and a refusal or a kill in the middle loses nothing.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import { mixLines } from "../src/conversation/commit/trees.ts";
import { CLI } from "./command.ts";
import { type CommitScene, commitScene, lines, proposes } from "./commit-kit.ts";

let scene: CommitScene;
afterEach(() => scene.close());

/** Pieces: 1 and 2 hunks of a.txt, 3 the new b.txt, 4 the renamed file. Not staged: the end of a.txt. */
async function staged(...script: Parameters<typeof commitScene>): Promise<void> {
  scene = await commitScene(...script);
  scene.write("a.txt", lines(60));
  scene.write("old.txt", lines(30, "kept"));
  scene.git("add", "-A");
  scene.git("commit", "-qm", "Start");
  scene.write("a.txt", `top\n${lines(50)}middle\n${lines(10, "new")}`);
  scene.write("b.txt", "b\n");
  scene.git("mv", "old.txt", "renamed.txt");
  scene.git("add", "-A");
  scene.write("a.txt", `top\n${lines(50)}middle\n${lines(10, "new")}not staged\n`);
}

const subjects = (): string[] => scene.git("log", "--format=%s").trim().split("\n");

it("makes the commits of the plan; partial staging stays as it was", async () => {
  await staged(() => proposes(["Rename old", "4"], ["Add b and the top", "1,3"], ["Change the end", "2"]));
  const tree = scene.git("write-tree");
  const unstaged = scene.git("diff");
  const done = await scene.commit(["--split", "--yes", "--json"]);
  expect(done.code).toBe(0);
  expect(JSON.parse(done.stdout).commits.map(({ files }: { files: string[] }) => files)).toEqual([
    ["renamed.txt"],
    ["a.txt", "b.txt"],
    ["a.txt"],
  ]);
  expect(subjects()).toEqual(["Change the end", "Add b and the top", "Rename old", "Start"]);
  expect(scene.git("rev-parse", "HEAD^{tree}")).toBe(tree);
  expect(scene.git("show", "HEAD^:a.txt")).toBe(`top\n${lines(60)}`);
  expect(scene.git("diff")).toBe(unstaged);
  expect(scene.git("diff", "--cached")).toBe("");
  expect(scene.server.requests[0]!.text).toContain("[4] renamed old.txt -> renamed.txt");
});

it("a plan that leaves a hunk out, names one twice or is no plan is asked for again, and never used", async () => {
  const plans = [
    proposes(["One", "1-3"]),
    proposes(["One", "1-3"], ["Two", "3-4"]),
    proposes(["One", "1-9"]),
    turn.text("All is done"),
  ];
  await staged(() => plans.shift() ?? turn.text("All is done"));
  const done = await scene.commit(["--split", "--yes"]);
  expect(done.code).toBe(0);
  expect(subjects()).toEqual(["All is done", "Start"]);
  expect(done.stderr).toContain("The model proposed no usable plan");
  expect(scene.server.requests[1]!.text).toContain("No commit has piece 4.");
  expect(scene.server.requests[2]!.text).toContain("Piece 3 is in two commits.");
});

it("a plan as text is read too, and what defines a name comes before its use", async () => {
  scene = await commitScene(() =>
    turn.text(
      `Here:\n\`\`\`json\n${JSON.stringify({
        commits: [
          { message: "Use it", parts: [2] },
          { message: "Add it", parts: "1" },
        ],
      })}\n\`\`\``,
    ),
  );
  scene.write("main.js", "start();\n");
  scene.git("add", "-A");
  scene.git("commit", "-qm", "Start");
  scene.write("helper.js", "export function computeTotal() {}\n");
  scene.write("main.js", 'import { computeTotal } from "./helper.js";\nstart(computeTotal());\n');
  expect((await scene.commit(["--split", "--yes", "--all"])).code).toBe(0);
  expect(subjects()).toEqual(["Use it", "Add it", "Start"]);
});

it("a hook that refuses the second commit takes the first back, and all is staged as before", async () => {
  await staged(() => proposes(["One", "1,3"], ["Two", "2,4"]));
  scene.hook(
    "pre-commit",
    'test -z "$(git diff --cached --name-only --diff-filter=R)" || { echo no renames >&2; exit 1; }',
  );
  const before = scene.state();
  const done = await scene.commit(["--split", "--yes"]);
  expect([done.code, scene.state(), subjects()]).toEqual([1, before, ["Start"]]);
  expect(done.stderr).toContain("no renames\n");
  expect(existsSync(join(scene.box.dir, ".git/lathe-commit"))).toBe(false);
});

it("what a hook stages in an early commit stays in the later ones and in the index", async () => {
  await staged(() => proposes(["One", "3"], ["Two", "1,2,4"]));
  scene.hook(
    "pre-commit",
    "git diff --cached --name-only | grep -q b.txt && { echo B > b.txt; git add b.txt; echo more > c.txt; git add c.txt; }; true",
  );
  const done = await scene.commit(["--split", "--yes"]);
  expect(done.code).toBe(0);
  expect(scene.git("show", "HEAD:b.txt")).toBe("B\n");
  expect(scene.git("status", "--porcelain")).toBe(" M a.txt\n");
});

it.each([
  ["--continue", ["Three", "Two", "One", "Start"]],
  ["--abort", ["Start"]],
])("SIGKILL in the middle loses nothing: %s", async (how, expected) => {
  await staged(() => proposes(["One", "1,3"], ["Two", "2"], ["Three", "4"]));
  const before = scene.state();
  const tree = scene.git("write-tree");
  // The second commit never ends: its hook waits until it is killed with us.
  scene.hook("pre-commit", 'if git diff --cached | grep -q "^+middle"; then echo waiting >&2; sleep 600; fi');
  const child = spawn(process.execPath, [CLI, "commit", ...scene.args, "--split", "--yes"], {
    cwd: scene.box.dir,
    env: { ...scene.box.env, ...scene.env },
  });
  let said = "";
  for await (const chunk of child.stderr.setEncoding("utf8")) {
    said += chunk;
    if (said.includes("waiting")) break;
  }
  child.kill("SIGKILL");
  await once(child, "close");
  scene.hook("pre-commit", "true");
  expect(subjects()).toEqual(["One", "Start"]);
  expect(scene.git("write-tree")).toBe(tree);
  const next = await scene.commit(["--yes"]);
  expect([next.code, next.stderr]).toEqual([
    1,
    expect.stringMatching(/interrupted after 1 of 3 commits; the rest is still staged\..*--continue.*--abort/),
  ]);
  const done = await scene.commit([how]);
  expect(done.code).toBe(0);
  expect(subjects()).toEqual(expected);
  if (how === "--abort") expect(scene.state()).toBe(before);
  else expect(scene.git("rev-parse", "HEAD^{tree}")).toBe(tree);
});

it("every subset of hunks is old lines with these hunks replaced, also without a last line break", () => {
  const line = fc.constantFrom("a", "b", "", "é");
  fc.assert(
    fc.property(
      fc.array(fc.tuple(line, fc.boolean(), fc.array(line, { maxLength: 2 })), { maxLength: 12 }),
      fc.nat(),
      (rows, bits) => {
        // Each row: a kept line, and whether the lines that follow it are put in.
        const old = rows.map(([text]) => `${text}\n`);
        const now: string[] = [];
        const hunks = rows.flatMap(([text, isRemoved, added], i) => {
          const newStart = now.length + 1;
          if (!isRemoved && added.length === 0) {
            now.push(`${text}\n`);
            return [];
          }
          if (!isRemoved) now.push(`${text}\n`);
          now.push(...added.map((one) => `${one}\n`));
          return [{ oldStart: i + 1, oldLines: 1, newStart, newLines: now.length - newStart + 1 }].map((hunk) =>
            hunk.newLines === 0 ? { ...hunk, newStart: newStart - 1 } : hunk,
          );
        });
        expect(mixLines(old, now, hunks)).toBe(now.join(""));
        expect(mixLines(old, now, [])).toBe(old.join(""));
        const chosen = hunks.filter((_, i) => (bits >> i) & 1);
        const rest = hunks.filter((hunk) => !chosen.includes(hunk));
        const length = (of: typeof hunks) =>
          of.reduce((sum, { oldLines, newLines }) => sum + newLines - oldLines, old.length);
        expect(mixLines(old, now, chosen).split("\n").length - 1).toBe(length(chosen));
        expect(mixLines(old, now, rest).split("\n").length - 1).toBe(length(rest));
      },
    ),
  );
});
