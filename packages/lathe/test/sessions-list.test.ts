import {
  appendFileSync,
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Journal } from "@lathe/agent";
import { encodeLine } from "@lathe/agent/record";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ListRequest, listSessions, sessionName, timeAgo } from "../src/sessions/list.ts";
import type { ListedSession } from "../src/sessions/listed-session.ts";
import { type Box, makeBox } from "./sessions-box.ts";
import { answer, openStore, saySomething, user } from "./sessions-fixture.ts";

let box: Box;
beforeEach(() => {
  box = makeBox();
});
afterEach(() => box.remove());

const setTime = (path: string, seconds: number): void => utimesSync(path, seconds, seconds);

describe("lathe sessions list", () => {
  it("G-36 shows this directory's sessions, newest first, by title, else by first words", async () => {
    const old = await saySomething(box.maker, "mend the old thing", "done");
    const titled = box.maker.make();
    titled.journal.append(user("some first words"));
    titled.journal.setTitle("A title", "user");
    await titled.journal.close();
    const other = await saySomething(box.maker, "elsewhere", "done", { cwd: "/somewhere/else" });
    setTime(old.path, 1000);
    setTime(titled.path, 2000);
    const { stdout, code } = await box.run("sessions", "list");
    expect(stdout.split("\n").map((line) => line.replace(/\s+/g, " "))).toEqual([
      `${titled.id.slice(0, 8)} 1970-01-01 A title`,
      `${old.id.slice(0, 8)} 1970-01-01 mend the old thing`,
      "",
    ]);
    expect(code).toBe(0);
    const all = await box.run("sessions", "list", "--all");
    expect(all.stdout).toContain(other.id.slice(0, 8));
    expect(all.stdout).toContain("/somewhere/else");
  });

  it("G-36 leaves out a session without a message", async () => {
    const empty = box.maker.make();
    empty.journal.write({ type: "host", kind: "note", data: {} });
    empty.journal.persist();
    await empty.journal.close();
    expect(existsSync(empty.path)).toBe(true);
    const { stdout, stderr, code } = await box.run("sessions", "list");
    expect({ stdout, code }).toEqual({ stdout: "", code: 0 });
    expect(stderr).toContain("No sessions in this directory");
  });

  it("tells directories apart that share a folder's name", async () => {
    await saySomething(box.maker, "mine", "done");
    await saySomething(box.maker, "not mine", "done", { cwd: box.dir.replace(/\/([^/]*)$/, "-$1") });
    const { stdout } = await box.run("sessions", "list");
    expect(stdout).toContain("mine");
    expect(stdout).not.toContain("not mine");
  });

  it("gives everything as JSON, and as many as asked for", async () => {
    for (const word of ["one", "two", "three"]) await saySomething(box.maker, word, "done");
    const { stdout } = await box.run("sessions", "list", "--json");
    const rows = JSON.parse(stdout) as Record<string, unknown>[];
    expect(rows).toHaveLength(3);
    expect(Object.keys(rows[0] ?? {}).sort()).toEqual(
      ["bytes", "created", "cwd", "firstMessage", "id", "modified", "path"].sort(),
    );
    expect(JSON.parse((await box.run("sessions", "list", "--json", "-n", "2")).stdout)).toHaveLength(2);
    const wrong = await box.run("sessions", "list", "-n", "many");
    expect(wrong).toMatchObject({ code: 2, stderr: 'lathe: -n takes a number, not "many".\n' });
  });

  it("says what it knows when a verb or an option is wrong", async () => {
    expect(await box.run("sessions", "lst")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"lathe sessions lst"'),
    });
    expect(await box.run("sessions", "list", "--nope")).toMatchObject({ code: 2 });
    expect(await box.run("sessions", "list", "-n", "-1")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("See: lathe sessions --help"),
    });
    expect(await box.run("sessions", "list", "word")).toMatchObject({
      code: 2,
      stderr:
        'lathe: lathe sessions list takes no words, but got "word". To search for it: lathe sessions search word\n',
    });
    expect((await box.run("sessions", "--help")).stdout).toContain("doctor [id|path] [--gc]");
  });
});

describe("names and times", () => {
  const named = (session: Partial<ListedSession>): string => sessionName({ id: "the-id", ...session });

  it("G-36 a name is one line of at most 40 letters without control characters", () => {
    expect(named({ title: "a\u001b[31mb\n\tc" })).toBe("a [31mb c");
    expect(named({ title: " \n", firstMessage: "first" })).toBe("first");
    expect(named({})).toBe("the-id");
    expect(named({ firstMessage: "x".repeat(41) })).toBe(`${"x".repeat(39)}…`);
  });

  it("G-36 times are told as people do", () => {
    const now = Date.parse("2026-05-05T12:00:00Z");
    const ago = (seconds: number): string => timeAgo(now - seconds * 1000, now);
    expect([ago(-5), ago(59), ago(60), ago(7200), ago(3 * 86_400), ago(60 * 86_400)]).toEqual([
      "just now",
      "just now",
      "1 min ago",
      "2 h ago",
      "3 d ago",
      "2026-03-06",
    ]);
  });
});

/** Bytes this process has read from files. */
const bytesRead = (): number => Number(/rchar: (\d+)/.exec(readFileSync("/proc/self/io", "latin1"))?.[1]);
const END_BYTES = 4096;

describe.skipIf(!existsSync("/proc/self/io"))("long lists", () => {
  const request = (): ListRequest => ({
    sessionsRoot: join(box.home, "sessions"),
    cacheFile: join(box.home, "cache", "heads.json"),
    now: Date.now(),
  });
  const list = (): ListedSession[] => listSessions(request());

  /** Written without the journal: 500 files in no time. */
  async function manySessions(count: number): Promise<string[]> {
    const first = await saySomething(box.maker, "the first", "done");
    const rest = Array.from({ length: count - 1 }, (_, at) => {
      const path = first.path.replace(first.id, `id-${at}`);
      const text = readFileSync(first.path, "utf8").split("\n").slice(1).join("\n");
      const header = {
        type: "session",
        version: 4,
        id: `id-${at}`,
        timestamp: new Date(at).toISOString(),
        cwd: box.dir,
      };
      writeFileSync(path, encodeLine(header).toString() + text);
      return path;
    });
    return [first.path, ...rest];
  }

  it("G-36 500 sessions, one of 50 MB: at most 4 KiB from each end of a file are read", async () => {
    const paths = await manySessions(500);
    const fd = openSync(paths[7] ?? "", "r+");
    ftruncateSync(fd, 50e6);
    closeSync(fd);
    const before = bytesRead();
    expect(list()).toHaveLength(500);
    expect(bytesRead() - before).toBeLessThan(500 * END_BYTES + END_BYTES + 100_000);
  });

  it("opens again only what has changed", async () => {
    const paths = await manySessions(300);
    const first = list();
    const before = bytesRead();
    expect(list()).toEqual(first);
    expect(bytesRead() - before).toBeLessThan(300 * 1000);
    appendFileSync(paths[3] ?? "", encodeLine({ type: "title", title: "New name", source: "user", timestamp: "" }));
    expect(list().find(({ path }) => path === paths[3])?.title).toBe("New name");
  });

  it("sees every change in a folder that it has not had to look into for long", async () => {
    const paths = await manySessions(300);
    const [first = "", second = ""] = paths;
    const folder = dirname(first);
    const title = (path: string): string | undefined => list().find((session) => session.path === path)?.title;
    setTime(folder, 1000);
    list();
    const journal = Journal.open(openStore(first), box.maker.deps);
    journal.setTitle("Gazebo", "user");
    expect(title(first)).toBe("Gazebo");
    setTime(folder, 1000); // as if opened long ago
    list();
    journal.setTitle("Pergola", "user");
    expect(title(first)).toBe("Pergola");
    await journal.close();
    setTime(folder, 2000);
    list();
    rmSync(second);
    expect(list()).toHaveLength(299);
    rmSync(folder, { recursive: true });
    expect(list()).toEqual([]);
  });

  it("lists the newest few of all out of what it remembers and what is new", async () => {
    const [first = ""] = await manySessions(300);
    setTime(first, 4e9);
    setTime(dirname(first), 1000);
    list();
    const other = await saySomething(box.maker, "elsewhere", "done", { cwd: "/somewhere/else" });
    setTime(other.path, 3.9e9);
    const newest = listSessions({ ...request(), limit: 2 });
    expect(newest.map(({ path }) => path)).toEqual([first, other.path]);
  });

  it("a damaged memory is an empty one", async () => {
    await manySessions(300);
    list();
    writeFileSync(join(box.home, "cache", "heads.json"), "{ not json");
    expect(list()).toHaveLength(300);
  });

  it("a file that is no session is passed over", async () => {
    const [path = ""] = await manySessions(2);
    writeFileSync(path.replace(/[^/]*$/, "notes.jsonl"), "these are my notes\n");
    writeFileSync(path.replace(/[^/]*$/, "empty.jsonl"), "");
    expect(list()).toHaveLength(2);
  });

  it("a session that is being written is listed", async () => {
    const open = box.maker.make();
    open.journal.append(user("still going on"));
    open.journal.append(answer("yes"));
    expect(list().map((session) => sessionName(session))).toEqual(["still going on"]);
    await open.journal.close();
  });
});
