// The command is killed by SIGKILL at the few points where a journal and what it promises do not agree yet.

import { once } from "node:events";
import { existsSync, linkSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gate, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { collect } from "./command.ts";
import { errorLines, jsonLines, type Stage, stage } from "./contract-kit.ts";
import { canMount, withTmpfs } from "./tmpfs.ts";

let scene: Stage;
afterEach(() => scene.close());

const dieAt = { NODE_OPTIONS: `--require ${fileURLToPath(new URL("./die-at.cjs", import.meta.url))}` };
const END_OF_INPUT = '"type":"input","state":"end"';
const RESULT = '"customType":"lathe:result"';
const HEADER = '{"type":"session"';
const named = ["--permission-mode", "full", "--run-id", "nightly"];
const question = { questions: [{ id: "q", question: "Which?", options: [{ label: "a" }, { label: "b" }] }] };

async function killed(args: readonly string[], where: Record<string, string>): Promise<void> {
  const child = scene.box.start([...scene.args, ...args], { ...scene.env, ...dieAt, ...where });
  child.stdin.end();
  await once(child, "close");
  expect(child.signalCode).toBe("SIGKILL");
}

function journals(): string[] {
  const root = join(scene.box.env["LATHE_HOME"] ?? "", "sessions");
  return readdirSync(root, { recursive: true })
    .map((name) => join(root, String(name)))
    .filter((path) => path.endsWith(".jsonl"));
}

describe("killed between the last answer and its end", () => {
  it("--run-id gives the answer that is in the journal, now and ever after, without another request", async () => {
    scene = await stage([turn.text("the answer")]);
    await killed([...named, "go"], { DIE_BEFORE: END_OF_INPUT });
    expect(await scene.run([...named, "go"])).toEqual({ code: 0, stdout: "the answer\n", stderr: "" });
    expect(await scene.run([...named, "go"])).toEqual({ code: 0, stdout: "the answer\n", stderr: "" });
    expect(scene.server.requests).toHaveLength(1);
    // Reopened by its path, the session has broken its own locks.
    expect(readdirSync(join(scene.box.env["LATHE_HOME"] ?? "", "locks"))).toEqual([]);
  });

  it("the lock that a killed process leaves by inode is collected, and lathe -c gives the answer that is in the journal", async () => {
    scene = await stage([turn.text("the answer")]);
    await killed(["go"], { DIE_BEFORE: END_OF_INPUT });
    const locks = join(scene.box.env["LATHE_HOME"] ?? "", "locks");
    writeFileSync(join(locks, "notes.txt"), "not a lock");
    expect(readdirSync(locks)).toHaveLength(2);
    await scene.box.run(["sessions", "doctor", "--gc"]);
    expect(readdirSync(locks)).toEqual(["notes.txt"]);
    expect(await scene.run(["-c"])).toEqual({ code: 0, stdout: "the answer\n", stderr: "" });
    expect(scene.server.requests).toHaveLength(1);
  });

  it("a JSON run shows the answer as a message, as if it had just come", async () => {
    scene = await stage([turn.text("the answer")]);
    await killed([...named, "go"], { DIE_BEFORE: END_OF_INPUT });
    const lines = jsonLines((await scene.run([...named, "--mode", "json", "go"])).stdout);
    const ends = lines.filter(({ type }) => type === "message_end").map(({ message }) => JSON.stringify(message));
    expect(ends.filter((message) => message.includes("the answer"))).toHaveLength(1);
    expect(lines.at(-1)).toMatchObject({ type: "result", status: "done", text: "the answer" });
  });

  it.each(["length", "content_filter"] as const)(
    "an answer that ended by %s stays the failure it was",
    async (stop) => {
      scene = await stage([turn.text("half of", { stop }), turn.text("half of", { stop })]);
      const whole = await scene.run(["--run-id", "undisturbed", "go"]);
      expect(whole.code).toBe(1);
      await killed([...named, "go"], { DIE_BEFORE: END_OF_INPUT });
      const again = await scene.run([...named, "go"]);
      // The folder has two sessions now, so the line names the right one.
      expect({ ...again, stderr: again.stderr.replace(/--resume \w+/, "-c") }).toEqual(whole);
    },
  );

  it("the question of a call that awaits a person is still asked: code 6, and no request without the answer", async () => {
    scene = await stage([turn.calls([{ name: "ask_user", args: question }]), turn.text("done")]);
    await killed(["go"], { DIE_BEFORE: END_OF_INPUT });
    expect(await scene.run(["-c"])).toMatchObject({ code: 6, stdout: "Which?\n  1. a\n  2. b\n" });
    expect(scene.server.requests).toHaveLength(1);
    expect(await scene.run(["-c", "a"])).toMatchObject({ code: 0, stdout: "done\n" });
  });
});

describe("killed between the end and the result of a named run", () => {
  it("the result is the answer", async () => {
    scene = await stage([turn.text("the answer")]);
    await killed([...named, "go"], { DIE_BEFORE: RESULT });
    expect(await scene.run([...named, "go"])).toEqual({ code: 0, stdout: "the answer\n", stderr: "" });
    expect(scene.server.requests).toHaveLength(1);
  });

  it("the result is the question", async () => {
    scene = await stage([turn.calls([{ name: "ask_user", args: question }])]);
    await killed([...named, "go"], { DIE_BEFORE: RESULT });
    const again = await scene.run([...named, "go"]);
    expect(again).toMatchObject({ code: 6, stdout: "Which?\n  1. a\n  2. b\n" });
    expect(await scene.run([...named, "go"])).toEqual(again);
  });

  it("the result is the failure", async () => {
    scene = await stage([turn.text("half of", { stop: "length" })]);
    await killed([...named, "go"], { DIE_BEFORE: RESULT });
    expect(await scene.run([...named, "go"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("output limit"),
    });
  });
});

describe.each([
  ["before the first line of a journal", { DIE_BEFORE: HEADER }],
  ["within the first line of a journal", { DIE_WITHIN: HEADER }],
])("killed %s", (_where, where) => {
  it("the run id is free, and its run begins", async () => {
    scene = await stage([turn.text("the answer")]);
    await killed([...named, "go"], where);
    expect(journals()).toEqual([]);
    expect(await scene.run([...named, "go"])).toEqual({ code: 0, stdout: "the answer\n", stderr: "" });
    expect(await scene.run([...named, "go"])).toEqual({ code: 0, stdout: "the answer\n", stderr: "" });
    expect(scene.server.requests).toHaveLength(1);
  });

  it("--session begins the session, --continue another one, and lists and doctor do not trip over it", async () => {
    scene = await stage([turn.text("one"), turn.text("two"), turn.text("three")]);
    await killed(["--session", "s.jsonl", "go"], where);
    expect(await scene.run(["--session", "s.jsonl", "go"])).toEqual({ code: 0, stdout: "one\n", stderr: "" });
    expect(await scene.run(["--session", "s.jsonl", "go on"])).toEqual({ code: 0, stdout: "two\n", stderr: "" });
    await killed(["go"], where);
    expect(await scene.run(["-c", "go"])).toEqual({
      code: 0,
      stdout: "three\n",
      stderr: expect.stringMatching(/^lathe: .*new (one|session).*\n$/i),
    });
    expect((await scene.box.run(["sessions", "list", "--all"])).code).toBe(0);
    expect(await scene.box.run(["sessions", "doctor"])).toMatchObject({ code: 0 });
  });

  it("--resume and --fork of such a file say that there is no session in it yet", async () => {
    scene = await stage([]);
    await killed(["--session", "s.jsonl", "go"], where);
    const refused = { code: 2, stdout: "", stderr: expect.stringContaining("s.jsonl") };
    expect(await scene.run(["--resume", "s.jsonl", "go"])).toMatchObject(refused);
    expect(await scene.run(["--session", "s.jsonl", "--fork", "go"])).toMatchObject(refused);
    expect(await scene.box.run(["sessions", "show", "s.jsonl"])).toMatchObject(refused);
  });
});

it.runIf(canMount)("a disk that is full when a journal begins costs that run only (needs mount)", async () => {
  scene = await stage(() => turn.text("the answer"));
  await withTmpfs(scene.box.env["LATHE_HOME"] ?? "", "512k", async (folder) => {
    // Room for nothing, for the first lock, for both, and then for the file.
    for (let pages = 0; pages < 4; pages++) {
      const run = ["--run-id", `with ${pages}`, "go"];
      fillUp(folder);
      for (let page = 0; page < pages; page++) rmSync(join(folder, `fill-${page}`));
      const { code, stderr } = await scene.runBuilt(run);
      expect([0, 2, 70]).toContain(code);
      if (code !== 0) expect(errorLines(stderr)).toEqual([expect.stringContaining("ENOSPC")]);
      for (const name of readdirSync(folder)) if (name.startsWith("fill-")) rmSync(join(folder, name));
      expect(await scene.run(run)).toEqual({ code: 0, stdout: "the answer\n", stderr: "" });
    }
  });
});

/** With files of a page each. */
function fillUp(folder: string): void {
  for (let n = 0; ; n++) {
    try {
      writeFileSync(join(folder, `fill-${n}`), Buffer.alloc(4096));
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe("ENOSPC");
      return;
    }
  }
}

it("a file that is no session is never taken for one that has not begun", async () => {
  scene = await stage([]);
  for (const text of ["notes without a line break", '{"type":"sessions', "\n", '{"type":"session","version":4}\n']) {
    writeFileSync(join(scene.box.dir, "notes.jsonl"), text);
    expect(await scene.run(["--session", "notes.jsonl", "go"])).toMatchObject({ code: 2, stdout: "" });
    expect(readFileSync(join(scene.box.dir, "notes.jsonl"), "utf8")).toBe(text);
  }
  // What was refused is not a session of the user, so doctor must not report it.
  expect(await scene.box.run(["sessions", "doctor"])).toMatchObject({
    code: 0,
    stdout: expect.not.stringContaining("notes"),
  });
});

describe("a session that is open in another process", () => {
  it.each([
    ["a symbolic link", symlinkSync],
    ["a hard link", linkSync],
  ])("is locked through %s too", async (_kind, link) => {
    const door = gate();
    scene = await stage([turn.text("zero"), turn.text("one", { before: door.wait }), turn.text("two")]);
    const path = join(scene.box.dir, "s.jsonl");
    expect((await scene.run(["--session", "s.jsonl", "begin"])).code).toBe(0);
    link(path, join(scene.box.home, "other.jsonl"));
    const child = scene.start(["--session", "s.jsonl", "go"]);
    const first = collect(child);
    child.stdin.end();
    await door.reached;
    const other = ["--session", join(scene.box.home, "other.jsonl"), "go too"];
    expect(await scene.run(other)).toMatchObject({ code: 2, stderr: expect.stringMatching(/is open in process \d+/) });
    door.open();
    expect(await first).toMatchObject({ code: 0, stdout: "one\n" });
    expect(await scene.run(other)).toMatchObject({ code: 0, stdout: "two\n" });
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it("is locked through a hard link that is made while it is open", async () => {
    const door = gate();
    scene = await stage([turn.text("one", { before: door.wait })]);
    const child = scene.start(["--session", "s.jsonl", "go"]);
    const first = collect(child);
    child.stdin.end();
    await door.reached;
    const other = join(scene.box.home, "other.jsonl");
    linkSync(join(scene.box.dir, "s.jsonl"), other);
    expect((await scene.run(["--session", other, "go too"])).code).toBe(2);
    door.open();
    expect((await first).code).toBe(0);
  });

  it("keeps artifacts and agents in one place, by whichever link it is opened", async () => {
    scene = await stage([turn.calls([{ name: "shell", args: { command: "seq 1 400000" } }]), turn.text("done")]);
    writeFileSync(join(scene.box.dir, "s.jsonl"), "");
    symlinkSync(join(scene.box.dir, "s.jsonl"), join(scene.box.dir, "link.jsonl"));
    expect((await scene.run(["--permission-mode", "full", "--session", "link.jsonl", "go"])).code).toBe(0);
    expect(existsSync(join(scene.box.dir, "s", "0.shell.log"))).toBe(true);
    expect(existsSync(join(scene.box.dir, "link"))).toBe(false);
  });
});
