import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Message } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { FileStore } from "../../src/record/journal/file-store.ts";
import { hasBegun } from "../../src/record/journal/has-begun.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { encodeLine } from "../../src/record/journal/line.ts";
import { acquireLock, processStartTime } from "../../src/record/journal/lock.ts";
import { bundleOf } from "../support/bundle.ts";
import { storeKinds, tempFolder, testDeps, testOwner } from "./support.ts";

const user = (text: string) => ({ type: "message", message: Message.user(text) }) as const;

/** Not whether `processStartTime` reads it: the tests that need it would skip themselves when that is broken. */
const hasProc = existsSync("/proc/self/stat");

/** Empty if the system does not report them. */
function openFiles(): string[] {
  if (!existsSync("/proc/self/fd")) return [];
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch (error) {
      // The handle of the listing itself is gone by now.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
  });
}

describe.each(storeKinds)("a $name store", (kind) => {
  it("keeps bytes in the order they were appended and reads any range of them", async () => {
    const place = kind.make();
    const store = place.open();
    store.append("äb");
    store.append(Buffer.from("cé"));
    expect(store.size).toBe(6);
    expect(store.read(2, 4).toString()).toBe("bcé");
    expect(store.read(4, 100).toString()).toBe("é");
    await store.sync();
    await store.close();
    const again = place.open();
    expect(again.read(0, again.size).toString()).toBe("äbcé");
    await again.close();
  });

  it("refuses writes after close, and closing twice is fine", async () => {
    const store = kind.make().open();
    await store.close();
    await store.close();
    expect(() => store.append("x")).toThrow(/closed/);
  });

  it("SP-01 100 appends in flight at once give 100 whole lines in one chain", async () => {
    const place = kind.make();
    const journal = Journal.create({ id: "s", cwd: "/" }, () => place.open(), testDeps());
    await Promise.all(
      Array.from({ length: 100 }, async (_, at) => {
        if (at % 3 === 0) await journal.intent({ effect: "maintenance", replay: "safe" });
        journal.append(user(`message ${at}`));
        await journal.turnEnd();
      }),
    );
    await journal.close();
    const opened = Journal.open(place.open(), testDeps());
    expect(opened.losses).toEqual([]);
    const ids = [...opened.entryIds()];
    expect(new Set(ids).size).toBe(100);
    expect(ids.map((id) => opened.meta(id)?.parentId ?? null)).toEqual([null, ...ids.slice(0, -1)]);
    await opened.close();
  });

  it("refuses to create a session where one already is", async () => {
    const place = kind.make();
    const first = Journal.create({ id: "s", cwd: "/" }, () => place.open(), testDeps());
    first.append(user("one"));
    await first.close();
    const second = Journal.create({ id: "t", cwd: "/" }, () => place.open(), testDeps());
    expect(() => second.append(user("two"))).toThrow(/already holds a session/);
  });
});

describe("a session file", () => {
  it("G-28 is not there before the first message, and then holds everything that came before it", async () => {
    const path = join(tempFolder(), "s.jsonl");
    const open = () => new FileStore(path, { owner: testOwner(), create: true });
    const journal = Journal.create({ id: "s", cwd: "/" }, open, testDeps());
    journal.append({ type: "model_change", model: "p/m" });
    expect(existsSync(path)).toBe(false);
    journal.append(user("hello"));
    const types = readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).type);
    expect(types).toEqual(["session", "model_change", "message"]);
    await journal.close();
  });

  it("G-27 a missing file is an error that names it, and looking for it leaves neither folder nor lock behind", () => {
    const folder = tempFolder();
    expect(() => new FileStore(join(folder, "s.jsonl"))).toThrow(/cannot be opened.*ENOENT/);
    expect(() => new FileStore(join(folder, "s.jsonl"), { owner: testOwner() })).toThrow(/cannot be opened.*ENOENT/);
    expect(() => new FileStore(join(folder, "sub", "s.jsonl"))).toThrow(/cannot be opened.*ENOENT/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(["{}", "null", "[]", "5"])("G-27 a file that begins with %s is refused and left as it is", (line) => {
    const path = join(tempFolder(), "s.jsonl");
    writeFileSync(path, `${line}\n`);
    expect(() => Journal.open(new FileStore(path), testDeps())).toThrow(/first line \(the header\) is damaged/);
    expect(readFileSync(path, "utf8")).toBe(`${line}\n`);
  });

  it.each([
    [5, "update Lathe to open it"],
    [3, "no version of Lathe wrote that"],
  ])("G-27 a file of format %d is refused: %s", (version, next) => {
    const path = join(tempFolder(), "s.jsonl");
    writeFileSync(path, encodeLine({ type: "session", version, id: "s", timestamp: "", cwd: "/" }));
    expect(() => Journal.open(new FileStore(path), testDeps())).toThrow(
      `has session format ${version}, not 4; ${next}.`,
    );
  });

  it("G-28 a file whose maker was stopped inside the first line is free for a session", async () => {
    const path = join(tempFolder(), "s.jsonl");
    expect(hasBegun(path)).toBe(false);
    writeFileSync(path, '{"type":"session","version":4,"id":"half');
    expect([hasBegun(path), hasBegun(dirname(path))]).toEqual([false, true]);
    expect(() => Journal.open(new FileStore(path), testDeps())).toThrow("holds no session yet");
    const open = () => new FileStore(path, { owner: testOwner(), create: true });
    const journal = Journal.create({ id: "s", cwd: "/" }, open, testDeps());
    journal.append(user("hello"));
    await journal.close();
    expect(hasBegun(path)).toBe(true);
    const opened = Journal.open(new FileStore(path), testDeps());
    expect([opened.header.id, opened.context.messages, opened.losses]).toEqual(["s", [Message.user("hello")], []]);
    await opened.close();
  });

  it("is left without locks, other files or open handles when it is closed", async () => {
    const folder = tempFolder();
    const store = new FileStore(join(folder, "s.jsonl"), { owner: testOwner(), create: true });
    store.append("x\n");
    await store.close();
    expect(readdirSync(folder)).toEqual(["s.jsonl"]);
    expect(openFiles().filter((path) => path.startsWith(folder))).toEqual([]);
  });

  it("G-28 the first write error is kept and thrown again by every later operation", async () => {
    // A file size limit fails a write like a full disk does, without needing one.
    const path = join(tempFolder(), "s.jsonl");
    const script = await bundleOf("./full-disk-child.ts", import.meta.url);
    const limited = `trap '' XFSZ; ulimit -f 8; exec "$0" "$1" "$2"`;
    const run = spawnSync("sh", ["-c", limited, process.execPath, script, path], { encoding: "utf8" });
    expect(run.stderr).toBe("");
    const { first, isSame, messages } = JSON.parse(run.stdout);
    expect(first).toMatch(/cannot be written: EFBIG.*free space/);
    expect(isSame).toBe(true);
    const opened = Journal.open(new FileStore(path), testDeps());
    expect(opened.context.messages).toHaveLength(messages);
    expect(opened.losses.map(({ kind }) => kind)).toEqual(["torn_tail"]);
  });
});

describe("the lock of a session file", () => {
  const owner = testOwner;

  it("SP-01 lets one writer in, says who holds it, and opens again after close", async () => {
    const path = join(tempFolder(), "s.jsonl");
    const first = new FileStore(path, { owner: owner(), create: true });
    // Without a line it is no session yet, and there is nothing under its name.
    expect(existsSync(path)).toBe(false);
    first.append("{}\n");
    const message = expect.stringMatching(`^This session is open in process ${process.pid};`);
    expect(() => new FileStore(path, { owner: owner(), create: true })).toThrow(
      expect.objectContaining({ code: "locked", message }),
    );
    expect(new FileStore(path).size).toBe(3);
    await first.close();
    expect(existsSync(`${path}.lock`)).toBe(false);
    await new FileStore(path, { owner: owner() }).close();
  });

  it("is broken when its owner was killed", async () => {
    const path = join(tempFolder(), "x.lock");
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    const pid = child.pid!;
    acquireLock(path, { ...owner(), pid, startTime: processStartTime(pid) });
    expect(() => acquireLock(path, owner())).toThrow(`process ${pid}`);
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
    acquireLock(path, owner()).release();
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  it.skipIf(!hasProc)("is broken when the pid now belongs to a later process (needs /proc)", () => {
    const path = join(tempFolder(), "x.lock");
    acquireLock(path, { ...owner(), startTime: "1" });
    acquireLock(path, owner()).release();
  });

  // Only root may even ask about it.
  it.skipIf(!hasProc)("is broken when the pid now belongs to a process of root (needs /proc)", () => {
    const path = join(tempFolder(), "x.lock");
    acquireLock(path, { ...owner(), pid: 1, startTime: "of an earlier boot" });
    acquireLock(path, owner()).release();
    acquireLock(path, { ...owner(), pid: 1, startTime: processStartTime(1) });
    expect(() => acquireLock(path, owner())).toThrow("process 1;");
  });

  it.skipIf(!hasProc)("is broken when its owner was killed and nobody has reaped it (needs /proc)", async () => {
    const path = join(tempFolder(), "x.lock");
    // The shell becomes a program that ignores its former child.
    const parent = spawn("sh", ["-c", "sleep 100 & echo $!; exec sleep 100"]);
    try {
      const pid = Number(await new Promise((resolve) => parent.stdout.once("data", resolve)));
      acquireLock(path, { ...owner(), pid, startTime: processStartTime(pid) });
      // As long as it is a shell, it would reap the child.
      while (readFileSync(`/proc/${parent.pid}/comm`, "latin1") !== "sleep\n") await new Promise(setImmediate);
      process.kill(pid, "SIGKILL");
      while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))) await new Promise(setImmediate);
      acquireLock(path, owner()).release();
    } finally {
      parent.kill("SIGKILL");
    }
  });

  it("of another machine is never broken, and the message says what to do", () => {
    const path = join(tempFolder(), "x.lock");
    acquireLock(path, { ...owner(), host: "elsewhere", pid: 2 ** 22 + 1 });
    expect(() => acquireLock(path, owner())).toThrow(/process \d+ on elsewhere.*delete/);
  });

  it("that cannot be made says why and what to do", () => {
    const path = join(tempFolder(), "missing", "x.lock");
    expect(() => acquireLock(path, owner())).toThrow(/cannot be locked: ENOENT.*fix the folder/);
  });

  it("is only removed by the one who holds it", () => {
    const path = join(tempFolder(), "x.lock");
    const first = acquireLock(path, { ...owner(), pid: 2 ** 22 + 1 });
    const second = acquireLock(path, owner());
    first.release();
    expect(existsSync(path)).toBe(true);
    second.release();
    expect(existsSync(path)).toBe(false);
  });

  it.each([
    ["a symbolic link", symlinkSync],
    ["a hard link", linkSync],
  ])("SP-01 holds for %s to the file, too", async (_kind, link) => {
    const folder = tempFolder();
    const path = join(folder, "s.jsonl");
    const first = new FileStore(path, { owner: owner(), create: true });
    first.append("{}\n");
    link(path, join(folder, "other.jsonl"));
    expect(() => new FileStore(join(folder, "other.jsonl"), { owner: owner() })).toThrow(/is open in process/);
    await first.close();
    const second = new FileStore(join(folder, "other.jsonl"), { owner: owner() });
    expect(() => new FileStore(path, { owner: owner() })).toThrow(/is open in process/);
    await second.close();
    await new FileStore(path, { owner: owner() }).close();
  });

  it("a hard link in another folder is found by the folder of locks that writers share", async () => {
    const folder = tempFolder();
    const path = join(folder, "s.jsonl");
    const locks = join(folder, "deep", "locks");
    const first = new FileStore(path, { owner: owner(), create: true, locks });
    first.append("{}\n");
    mkdirSync(join(folder, "else"));
    linkSync(path, join(folder, "else", "s.jsonl"));
    expect(() => new FileStore(join(folder, "else", "s.jsonl"), { owner: owner(), locks })).toThrow(/is open/);
    await first.close();
    await new FileStore(join(folder, "else", "s.jsonl"), { owner: owner(), locks }).close();
  });

  it("a folder of locks that cannot be made does not keep a session from being written", async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "file"), "");
    const store = new FileStore(join(folder, "s.jsonl"), { owner: owner(), create: true, locks: join(folder, "file") });
    store.append("x\n");
    await store.close();
  });

  it.each([
    "null",
    "[]",
    "{}",
    '{"pid":0,"startTime":"","host":"here","token":"t"}',
    '{"pid":1.5,"startTime":"","host":"here","token":"t"}',
    '{"pid":1e300}',
    "",
    "\0",
  ])("a lock file that holds %j is not one of ours and is replaced", async (text) => {
    const path = join(tempFolder(), "s.jsonl");
    writeFileSync(`${path}.lock`, text);
    await new FileStore(path, { owner: owner(), create: true }).close();
  });

  it("of an agent whose process was killed is removed when its parent's session is opened again", async () => {
    const path = join(tempFolder(), "s.jsonl");
    const first = new FileStore(path, { owner: owner(), create: true });
    first.append("{}\n");
    await first.close();
    mkdirSync(first.folder);
    acquireLock(join(first.folder, "dead.jsonl.lock"), { ...owner(), pid: 2 ** 22 + 1 });
    acquireLock(join(first.folder, "alive.jsonl.lock"), owner());
    await new FileStore(path, { owner: owner() }).close();
    expect(readdirSync(first.folder)).toEqual(["alive.jsonl.lock"]);
  });

  it("a pipe, a folder or a loop of links under its name is refused by name, at once", () => {
    const path = join(tempFolder(), "s.jsonl");
    const open = () => new FileStore(path, { owner: owner(), create: true });
    execFileSync("mkfifo", [`${path}.lock`]);
    expect(open).toThrow(`${path}.lock is not a regular file.`);
    execFileSync("rm", [`${path}.lock`]);
    mkdirSync(`${path}.lock`);
    expect(open).toThrow(`${path}.lock is not a regular file.`);
    execFileSync("rmdir", [`${path}.lock`]);
    symlinkSync(`${path}.lock`, `${path}.lock`);
    expect(open).toThrow(/lock cannot be read: ELOOP/);
  });
});
