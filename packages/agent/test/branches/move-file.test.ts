// Moving a session's file to another directory: nothing is lost on the way, and a failed step is undone.

import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Message } from "@lathe/llm";
import { beforeEach, describe, expect, it } from "vitest";
import { copyArtifacts } from "../../src/record/artifacts/copy-artifacts.ts";
import { FileArtifacts } from "../../src/record/artifacts/file-artifacts.ts";
import { FileStore } from "../../src/record/journal/file-store.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { moveJournalFile } from "../../src/record/journal/move-file.ts";
import { tempFolder, testDeps, testOwner } from "../journal/support.ts";

let root: string;
let from: string;
let to: string;
let lines: string[];

beforeEach(async () => {
  root = tempFolder();
  from = join(root, "old", "s.jsonl");
  to = join(root, "new", "s.jsonl");
  const store = () => new FileStore(from, { owner: testOwner(), create: true });
  const journal = Journal.create({ id: "s", cwd: "/old", title: "mine", parentSession: "p" }, store, testDeps());
  journal.append({ type: "message", message: Message.user("one") });
  for (let i = 0; i < 50; i++) journal.append({ type: "message", message: Message.user("x".repeat(60_000)) });
  await journal.close();
  await new FileArtifacts(join(root, "old", "s")).open("bash").close();
  lines = readFileSync(from, "utf8").split("\n");
});

const move = (target = to) => moveJournalFile({ from, to: target, cwd: "/new", writer: { owner: testOwner() } });
const everything = () => readdirSync(root, { recursive: true }).map(String).sort();

describe("SP-03 G-28 moving a session", () => {
  it("takes the file, its folder and every line; only the directory in the first line is another one", async () => {
    const { mtimeMs } = statSync(from);
    await move();
    expect(everything()).toEqual(["new", "new/s", "new/s.jsonl", "new/s/0.bash.log", "old"]);
    expect(readFileSync(to, "utf8").split("\n").slice(1)).toEqual(lines.slice(1));
    expect(statSync(to).mtimeMs).toBeCloseTo(mtimeMs, -1);
    const journal = Journal.open(new FileStore(to), testDeps());
    expect(journal.header).toMatchObject({ id: "s", cwd: "/new", title: "mine", parentSession: "p" });
    expect(journal.losses).toEqual([]);
  });

  it("a file that is kept at a place of its own stays there", async () => {
    await move(from);
    expect(everything()).toEqual(["old", "old/s", "old/s.jsonl", "old/s/0.bash.log"]);
    expect(Journal.open(new FileStore(from), testDeps()).header.cwd).toBe("/new");
  });

  it.each([
    [
      "the folder cannot be moved",
      () => mkdirSync(join(root, "new", "s", "full"), { recursive: true }),
      /stays where it is/,
    ],
    ["another session is there", () => writeFileSync(to, "something\n"), /There is a session at .* already/],
  ])("when %s, everything is as it was", async (_what, obstruct, problem) => {
    mkdirSync(join(root, "new"));
    obstruct();
    const before = everything();
    await expect(move()).rejects.toThrow(problem);
    expect(everything()).toEqual(before);
    expect(readFileSync(from, "utf8").split("\n")).toEqual(lines);
  });

  it("after a process that was killed on the way, moving again finishes it: the copy and the links it left are no obstacle", async () => {
    mkdirSync(join(root, "new", "s"), { recursive: true });
    linkSync(join(root, "old", "s", "0.bash.log"), join(root, "new", "s", "0.bash.log"));
    writeFileSync(`${from}.moving`, "half of a copy");
    await move();
    expect(everything()).toEqual(["new", "new/s", "new/s.jsonl", "new/s/0.bash.log", "old"]);
  });

  it("is refused while the session is open, and for what is no session", async () => {
    const held = new FileStore(from, { owner: testOwner() });
    await expect(move()).rejects.toThrow(/is open in|locked/);
    await held.close();
    writeFileSync(from, "just notes\n");
    await expect(move()).rejects.toThrow("does not begin like a session");
    expect(existsSync(to)).toBe(false);
  });
});

it("SP-03 a copy of the artifacts has the same numbers, and the next one counts on", async () => {
  const copy = join(root, "copy");
  mkdirSync(join(root, "old", "s", "1.pipe.log"));
  expect(copyArtifacts(join(root, "old", "s"), copy)).toEqual(["1.pipe.log"]);
  expect(readdirSync(copy)).toEqual(["0.bash.log"]);
  expect(new FileArtifacts(copy).open("bash").id).toBe(1);
  expect(copyArtifacts(join(root, "nothing"), copy)).toEqual([]);
});
