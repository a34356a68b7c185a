// `lathe sessions tree|branch|label|move`, on files that are not open.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { FileArtifacts, FileStore, Journal } from "@lathe/agent";
import { Message, textOf } from "@lathe/llm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Box, makeBox } from "./sessions-box.ts";
import { answer, call, openStore, result, user } from "./sessions-fixture.ts";

let box: Box;
let id: string;
let path: string;
let one: string;
let two: string;
let said: string;

beforeEach(async () => {
  box = makeBox();
  const made = box.maker.make();
  ({ path } = made);
  id = made.id;
  const { journal } = made;
  one = journal.append(user("first question")).id;
  journal.append(call("c1", "shell", { command: "ls" }));
  journal.append(result("c1", "a.txt"));
  said = journal.append(answer("first answer")).id;
  two = journal.append(user("second question")).id;
  journal.append(answer("second answer"));
  journal.setLeaf(said);
  journal.append(user("another second question"));
  journal.append(answer("another answer"));
  await journal.close();
  utimesSync(path, 1000, 1000);
});
afterEach(() => box.remove());

const open = (file = path): Journal => Journal.open(new FileStore(file), box.maker.deps);
const hash = (): string => createHash("sha256").update(readFileSync(path)).digest("hex");
const refusal = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await box.run("sessions", ...args);
  expect([code, stdout]).toEqual([2, ""]);
  return stderr.trimEnd();
};

describe("lathe sessions tree", () => {
  it("G-31 G-33 shows every branch, the active one first and marked; filters leave out the rest", async () => {
    const { stdout, code } = await box.run("sessions", "tree", id, "--filter", "no-tools");
    expect(code).toBe(0);
    expect(stdout.split("\n").map((line) => line.replace(/^(.) \S+ {2}/, "$1 "))).toEqual([
      "› You: first question",
      "› Agent: first answer",
      "›   You: another second question",
      "›   Agent: another answer",
      "    You: second question",
      "    Agent: second answer",
      "",
    ]);
    const all = await box.run("sessions", "tree", id);
    expect(all.stdout).toContain("Agent: [shell]");
    expect(all.stdout.split("\n")).toHaveLength(9);
    const users = await box.run("sessions", "tree", id, "--filter", "user-only", "--json");
    expect(
      JSON.parse(users.stdout).entries.map(({ id: entry, parentId }: Record<string, string>) => [entry, parentId]),
    ).toEqual([
      [one, null],
      [expect.any(String), one],
      [two, one],
    ]);
  });

  it("G-33 says of every kind of message what it is, whether its line must be parsed for that or not", async () => {
    const { path: odd, journal } = box.maker.make();
    const message = Message.toolResult({ toolCallId: "c1", content: "long ".repeat(300) });
    const calls = ["read", "write"].map((name) => {
      const toolCall = { id: name, name, arguments: { kind: "x" }, type: "function" as const };
      return { kind: "tool_call" as const, toolCall };
    });
    journal.append(user('a "quoted"\\ line\nand \u001b[31mred'));
    journal.append({
      type: "message",
      message: { role: "user", content: [{ kind: "text", text: '<file path="a.txt">\nsecret\n</file>' }] },
    });
    journal.append({ type: "message", message: Message.user("<rule>\nbe brief\n</rule>"), origin: "injected" });
    journal.append({ type: "message", message: { role: "assistant", content: calls } });
    journal.append({ type: "message", message, summary: "after" });
    journal.append({ type: "message", ...{ summary: "before" }, message });
    journal.append(answer("blob:text of mine"));
    journal.append(answer("y".repeat(70_000)));
    await journal.close();
    const { stdout } = await box.run("sessions", "tree", odd);
    expect(stdout.split("\n").map((line) => line.replace(/^. \S+ {2}/, ""))).toEqual([
      'You: a "quoted"\\ line and \\x1b[31mred',
      "You: @a.txt",
      "Note: Note to the model be brief",
      "Agent: [read] [write]",
      "Tool: after",
      "Tool: before",
      "Agent: blob:text of mine",
      `Agent: ${"y".repeat(200)}`,
      "",
    ]);
    const spoken = await box.run("sessions", "tree", odd, "--filter", "no-tools");
    expect(spoken.stdout).not.toMatch(/Tool:|\[read\]/);
  });

  it("G-31 --go makes the session continue from there, and gives the message that was chosen", async () => {
    const before = readFileSync(path, "utf8");
    expect(await box.run("sessions", "tree", id, "--go", two)).toMatchObject({ code: 0, stdout: "second question\n" });
    expect(open().leaf).toBe(said);
    expect(readFileSync(path, "utf8").startsWith(before)).toBe(true);
    expect(statSync(path).mtimeMs).toBe(1_000_000);
  });

  it("says what is wrong and where to look", async () => {
    expect(await refusal("tree", id, "--go", "nothing0")).toBe(
      `lathe: There is no entry nothing0 in this session. See: lathe sessions tree ${id}`,
    );
    expect(await refusal("tree", id, "--filter", "some")).toBe(
      'lathe: There is no filter "some". Choose one of: default, no-tools, user-only, labeled-only, all.',
    );
    expect(await refusal("tree")).toContain("Name a session: lathe sessions tree <id>.");
    const held = openStore(path);
    expect(await refusal("tree", id, "--go", two)).toMatch(/is open in process/);
    await held.close();
  });
});

describe("lathe sessions branch", () => {
  it("G-32 makes a file with what came before, its artifacts and its labels; the old one does not change", async () => {
    await new FileArtifacts(path.replace(".jsonl", "")).open("shell").close();
    await box.run("sessions", "label", id, one, "start");
    await box.run("sessions", "label", id, two, "left");
    const before = hash();
    const { code, stdout, stderr } = await box.run("sessions", "branch", id, "left");
    expect(code).toBe(0);
    const file = stdout.trim();
    const branch = open(file);
    expect(stderr).toBe(
      `To continue: lathe --resume ${branch.header.id.slice(0, 8)}\nThe message was: second question\n`,
    );
    expect(branch.header).toMatchObject({ cwd: box.dir, parentSession: path });
    expect(branch.context.messages.filter(({ role }) => role !== "tool").map(textOf)).toEqual([
      "first question",
      "",
      "first answer",
    ]);
    expect([...branch.labels]).toEqual([[one, "start"]]);
    expect(readdirSync(file.replace(".jsonl", ""))).toEqual(["0.shell.log"]);
    expect(hash()).toBe(before);
  });

  it("G-32 before the first message: an empty session that names the old one", async () => {
    const { stdout } = await box.run("sessions", "branch", id, one);
    const branch = open(stdout.trim());
    expect([branch.header.parentSession, branch.context.messages]).toEqual([path, []]);
  });

  it("refuses what is no message of the user", async () => {
    const see = `See: lathe sessions tree ${id} --filter user-only`;
    expect(await refusal("branch", id, said)).toBe(
      `lathe: Entry ${said} is not a user message: branch from one that is. ${see}`,
    );
    expect(await refusal("branch", id, "nothing0")).toBe(`lathe: There is no entry nothing0 in this session. ${see}`);
    expect(await refusal("branch", id)).toContain(`Name one of your messages: lathe sessions branch ${id} <entry>.`);
  });
});

describe("lathe sessions label", () => {
  it("G-33 names, lists and clears; a name may be used wherever an entry is asked for", async () => {
    await box.run("sessions", "label", id, two.slice(0, 6), "check", "point");
    expect((await box.run("sessions", "label", id)).stdout).toBe(`${two}  check point\n`);
    expect((await box.run("sessions", "tree", id, "--filter", "labeled-only")).stdout).toContain("[check point] You");
    expect(await refusal("label", id, one, "check", "point")).toBe(
      `lathe: The label "check point" is on entry ${two} already. Choose another, or clear it there first.`,
    );
    expect(await refusal("label", id, two, "check point")).toBe(
      `lathe: Entry ${two} is labelled "check point" already.`,
    );
    await box.run("sessions", "label", id, "check point", "--clear");
    expect((await box.run("sessions", "label", id)).stdout).toBe("");
    expect(await refusal("label", id, two, "--clear")).toBe(`lathe: Entry ${two} has no label to clear.`);
    expect(await refusal("label", id, two)).toContain("Give one of these:");
    expect(statSync(path).mtimeMs).toBe(1_000_000);
  });
});

describe("lathe sessions move", () => {
  it("SP-03 makes it a session of another folder, with everything beside it", async () => {
    await new FileArtifacts(path.replace(".jsonl", "")).open("shell").close();
    const there = join(box.home, "..", "there");
    mkdirSync(there);
    const { code, stdout, stderr } = await box.run("sessions", "move", id, "../there");
    expect(code).toBe(0);
    const file = stdout.trim();
    expect(stderr).toContain(`lathe --resume ${id.slice(0, 8)}`);
    const moved = open(file);
    expect(moved.header).toMatchObject({ id, cwd: expect.stringMatching(/\/there$/) });
    expect(textOf(moved.context.messages.at(-1)!)).toMatch(
      /working directory of this session is now .*\/there\. It was /,
    );
    expect([existsSync(path), readdirSync(file.replace(".jsonl", ""))]).toEqual([false, ["0.shell.log"]]);
    expect((await box.run("sessions", "list")).stdout).not.toContain(id.slice(0, 8));
    expect(await refusal("move", id, "../there")).toMatch(/^lathe: The session is in .*there already\.$/);
  });

  it("a file at a place of the user's choice stays there", async () => {
    const own = join(box.dir, "own.jsonl");
    const { journal } = box.maker.make({ path: own });
    journal.append(user("hello"));
    await journal.close();
    mkdirSync(join(box.dir, "below"));
    expect((await box.run("sessions", "move", own, "below")).stdout).toBe(`${own}\n`);
    expect(open(own).header.cwd).toBe(join(box.dir, "below"));
  });

  it("SP-03 prints a command that a shell takes as it is", async () => {
    const there = join(box.home, "..", "it's a folder");
    mkdirSync(there);
    const { stderr } = await box.run("sessions", "move", id, there);
    const [, command = ""] = /^To continue: (cd .*) && lathe/.exec(stderr) ?? [];
    expect(execFileSync("sh", ["-c", `${command} && pwd -P`], { encoding: "utf8" })).toBe(`${realpathSync(there)}\n`);
  });

  it("SP-03 an empty folder name, as an unset variable gives it, moves nothing", async () => {
    expect(await refusal("move", id, "")).toBe(
      "lathe: The name of the folder is empty. Give one; . is the present one.",
    );
    expect(existsSync(path)).toBe(true);
  });

  it("refuses a folder that is not there, and a session that is open", async () => {
    expect(await refusal("move", id, "nowhere")).toBe(
      "lathe: There is no folder nowhere. Create it first, or give another one.",
    );
    expect(await refusal("move", id)).toBe(`lathe: Name one folder: lathe sessions move ${id} <folder>`);
    const held = openStore(path);
    expect(await refusal("move", id, box.home)).toMatch(/is open in process/);
    await held.close();
    expect(existsSync(path)).toBe(true);
  });
});
