import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { FileArtifacts, Journal } from "@lathe/agent";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rememberOutsideFile } from "../src/sessions/outside-files.ts";
import { type Box, makeBox } from "./sessions-box.ts";
import { answer, call, openStore, result, saySomething, user } from "./sessions-fixture.ts";

let box: Box;
beforeEach(() => {
  box = makeBox();
});
afterEach(() => box.remove());

describe("lathe sessions show", () => {
  it("prints what was said and done, without the colours of a tool's output", async () => {
    const { id, journal } = box.maker.make();
    journal.append(user("list the files"));
    journal.append(call("c1", "bash", { command: "ls" }, "Looking."));
    journal.append(result("c1", `\u001b[32mgreen\u001b[0m\u0007\n${"line\n".repeat(20)}`));
    const last = journal.append(answer("There are **20** lines."));
    journal.setLabel(last.id, "counted");
    await journal.close();
    const { stdout, code } = await box.run("sessions", "show", id.slice(0, 8));
    expect(code).toBe(0);
    expect(stdout).toContain('Looking.\n* bash {"command":"ls"}\n  | green\n  | line\n');
    expect(stdout).toContain("  … 9 more lines (--full shows them)\n");
    expect(stdout).toContain("> acme/m-1 [counted]\nThere are **20** lines.\n");
    expect((await box.run("sessions", "show", id, "--full")).stdout.match(/\| line/g)).toHaveLength(20);
  });

  it("a folder is no session file", async () => {
    for (const verb of ["show", "rm", "export", "doctor"]) {
      const { code, stderr } = await box.run("sessions", verb, `${box.dir}/`);
      expect({ verb, code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("Session file not found"),
      });
    }
  });

  it("G-38 says that there is no such session, or that the file is none", async () => {
    expect(await box.run("sessions", "show", "nope")).toMatchObject({
      code: 2,
      stderr: 'lathe: Session "nope" not found. See: lathe sessions list\n',
    });
    const file = join(box.dir, "notes.jsonl");
    writeFileSync(file, "just notes\n");
    expect(await box.run("sessions", "show", file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("header"),
    });
    expect(await box.run("sessions", "show")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Name a session"),
    });
  });
});

describe("lathe sessions rename", () => {
  it("gives a title that the list shows", async () => {
    const { id, path } = await saySomething(box.maker, "first words", "ok");
    expect(await box.run("sessions", "rename", id, "A", "new\nname")).toMatchObject({ code: 0, stderr: "" });
    expect((await box.run("sessions", "list")).stdout).toContain("A new name");
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it("refuses a session that is open, and a beginning that fits several", async () => {
    const open = box.maker.make({ id: "aaaa1111" });
    open.journal.append(user("hello"));
    const live = Journal.open(openStore(await closed(open), hostname()), box.maker.deps);
    expect(await box.run("sessions", "rename", "aaaa", "x")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`open in process ${process.pid}`),
    });
    await live.close();
    await saySomething(box.maker, "other", "ok", { id: "aaaa2222" });
    expect(await box.run("sessions", "rename", "aaaa", "x")).toMatchObject({
      code: 2,
      stderr: 'lathe: "aaaa" matches 2 sessions. Give more of the id.\n',
    });
  });
});

async function closed({ journal, path }: { journal: Journal; path: string }): Promise<string> {
  await journal.close();
  return path;
}

describe("lathe sessions rm", () => {
  it("removes journal, artifacts and subagents, and nothing else", async () => {
    const { id, path } = await saySomething(box.maker, "go", "gone");
    const kept = await saySomething(box.maker, "stay", "here");
    const folder = path.replace(".jsonl", "");
    const artifact = new FileArtifacts(folder).open("bash");
    artifact.write(Buffer.from("output"));
    await artifact.close();
    await saySomething(box.maker, "child", "ok", { path: join(folder, "agent-1.jsonl") });
    expect((await box.run("sessions", "rm", id)).code).toBe(0);
    expect(readdirSync(dirname(path))).toEqual([kept.path.split("/").pop()]);
    expect((await box.run("sessions", "rm", id)).code).toBe(2);
  });

  it("leaves files of the user's that lie in a folder of the session's name", async () => {
    const path = join(box.dir, "talk.jsonl");
    await saySomething(box.maker, "go", "gone", { path });
    mkdirSync(join(box.dir, "talk"));
    writeFileSync(join(box.dir, "talk", "slides.md"), "mine");
    expect((await box.run("sessions", "rm", path)).code).toBe(0);
    expect(existsSync(path)).toBe(false);
    expect(readFileSync(join(box.dir, "talk", "slides.md"), "utf8")).toBe("mine");
  });

  it("an empty id is no session's beginning, though there is only one; one named twice is removed once", async () => {
    const { id, path } = await saySomething(box.maker, "keep me", "ok");
    expect(await box.run("sessions", "rm", "")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("not found"),
    });
    expect(await box.run("sessions", "rename", "", "title")).toMatchObject({ code: 2 });
    expect(existsSync(path)).toBe(true);
    const { stdout, code } = await box.run("sessions", "rm", id, id.slice(0, 8));
    expect({ stdout, code }).toEqual({ stdout: `Removed ${path}\n`, code: 0 });
  });

  it("refuses a file that is no session", async () => {
    const file = join(box.dir, "data.jsonl");
    writeFileSync(file, '{"a":1}\n');
    expect(await box.run("sessions", "rm", file)).toMatchObject({ code: 2 });
    expect(existsSync(file)).toBe(true);
  });

  it("refuses while the session or one of its subagents is open", async () => {
    const { id, path } = await saySomething(box.maker, "go", "on");
    const childPath = path.replace(".jsonl", "/agent-1.jsonl");
    await saySomething(box.maker, "child", "ok", { path: childPath });
    for (const open of [path, childPath]) {
      const live = openStore(open, hostname());
      expect(await box.run("sessions", "rm", id)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("open in process"),
      });
      await live.close();
      expect([existsSync(path), existsSync(childPath)]).toEqual([true, true]);
    }
    expect((await box.run("sessions", "rm", id)).code).toBe(0);
  });
});

describe("lathe sessions doctor", () => {
  it("finds nothing wrong with sound sessions", async () => {
    await saySomething(box.maker, "x".repeat(100_000), "ok");
    expect(await box.run("sessions", "doctor")).toMatchObject({
      code: 0,
      stdout: "1 session file checked, no problems.\n",
    });
  });

  it("states a torn tail, a damaged line, a lost blob and a lock of a process that is gone", async () => {
    const torn = await saySomething(box.maker, "torn", "off");
    truncateSync(torn.path, readFileSync(torn.path).length - 10);
    const bad = await saySomething(box.maker, "a line with a typo", "ok");
    writeFileSync(bad.path, readFileSync(bad.path, "utf8").replace("typo", "tyop"));
    const lost = await saySomething(box.maker, "y".repeat(100_000), "ok");
    for (const blob of readdirSync(join(box.home, "blobs"))) rmSync(join(box.home, "blobs", blob));
    const stale = await saySomething(box.maker, "left", "locked");
    const owner = { pid: 2 ** 22 + 1, host: hostname(), startTime: "1", token: "t" };
    writeFileSync(`${stale.path}.lock`, JSON.stringify(owner));
    const broken = join(dirname(stale.path), "2026_broken.jsonl");
    writeFileSync(broken, "no header here\n");
    const { stdout, code } = await box.run("sessions", "doctor");
    expect(code).toBe(1);
    expect(stdout).toContain(`${torn.path}: Line 3 (the last) is incomplete`);
    expect(stdout).toContain(`${bad.path}: Line 2 is damaged`);
    expect(stdout).toMatch(new RegExp(`${lost.path}: Blob [0-9a-f]{64} is missing`));
    expect(stdout).toContain(`${stale.path}: Locked by a process that has ended`);
    expect(stdout).toContain(`${broken} is not a readable session`);
    expect(stdout).toMatch(/5 session files checked, \d problems?\.\n/);
    expect((await box.run("sessions", "doctor", stale.id)).stdout).toContain("1 session file checked, 1 problem.");
  });

  it("collects blobs that no session names, and keeps those of sessions elsewhere", async () => {
    const blobs = join(box.home, "blobs");
    const elsewhere = join(box.dir, "talk.jsonl");
    await saySomething(box.maker, "z".repeat(100_000), "ok", { path: elsewhere });
    rememberOutsideFile(join(box.home, "sessions"), elsewhere);
    const { id } = await saySomething(box.maker, "u".repeat(100_000), "ok");
    for (const blob of readdirSync(blobs)) utimesSync(join(blobs, blob), 1, 1);
    await box.run("sessions", "rm", id);
    expect((await box.run("sessions", "doctor")).stdout).toContain("Found 1 unreferenced blob (97.7 KB).");
    expect(readdirSync(blobs)).toHaveLength(2);
    expect((await box.run("sessions", "doctor", "--gc")).stdout).toContain("Removed 1 unreferenced blob (97.7 KB)");
    expect(readdirSync(blobs)).toHaveLength(1);
    expect((await box.run("sessions", "doctor", "--gc")).stdout).toContain("Removed 0 unreferenced blobs");
  });
});
