import { appendFileSync, existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Journal } from "@lathe/agent";
import { encodeLine } from "@lathe/agent/record";
import { Message } from "@lathe/llm";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadSqlite } from "../src/sessions/search.ts";
import { type Box, makeBox } from "./sessions-box.ts";
import { openStore, saySomething } from "./sessions-fixture.ts";
import { noSqlite, type Outcome, searchIn } from "./sessions-searching.ts";

let box: Box;
beforeEach(() => {
  box = makeBox();
});
afterEach(() => box.remove());

const search = (text: string, sqlite = loadSqlite): Promise<Outcome> => searchIn(box, text, sqlite);
const file = (): string => join(box.home, "cache", "search.db");
const setTime = (path: string, seconds: number): void => utimesSync(path, seconds, seconds);
const words = (count: number): string => Array.from({ length: count }, (_, at) => `word${at.toString(36)}`).join(" ");
/** Bytes this process has read from files. */
const bytesRead = (): number => Number(/rchar: (\d+)/.exec(readFileSync("/proc/self/io", "latin1"))?.[1]);

async function openIndex(): Promise<DatabaseSyncInstance> {
  const { DatabaseSync } = (await loadSqlite()) ?? {};
  if (!DatabaseSync) throw new Error("this test needs @photostructure/sqlite");
  return new DatabaseSync(file());
}

describe("the search index", () => {
  it("reads on where it stopped, also past a line that is still being written", async () => {
    const { id, path } = await saySomething(box.maker, "first", "answer");
    expect((await search("first")).ids).toEqual([id]);
    const line = encodeLine({
      type: "message",
      id: "zzzzzzz1",
      parentId: null,
      timestamp: "",
      message: Message.user("later"),
    });
    appendFileSync(path, line.subarray(0, 40));
    expect((await search("later")).ids).toEqual([]);
    appendFileSync(path, line.subarray(40));
    expect((await search("later")).ids).toEqual([id]);
    expect((await search("first")).ids).toEqual([id]);
  });

  it("follows a session that was renamed by its journal", async () => {
    const { id, path } = await saySomething(box.maker, "first", "answer");
    await search("first");
    const journal = Journal.open(openStore(path), box.maker.deps);
    journal.setTitle("Gazebo", "user");
    await journal.close();
    expect((await search("gazebo")).ids).toEqual([id]);
  });

  it("forgets what was removed, and reads a file anew that is another one than before", async () => {
    const gone = await saySomething(box.maker, "marmoset", "ok");
    const other = await saySomething(box.maker, `marmoset ${"long ".repeat(100)}`, "ok");
    expect((await search("marmoset")).ids).toHaveLength(2);
    rmSync(gone.path);
    const short = await saySomething(box.maker, "tapir", "ok");
    writeFileSync(other.path, readFileSync(short.path));
    rmSync(short.path);
    expect((await search("marmoset")).ids).toEqual([]);
    expect((await search("tapir")).ids).toEqual([short.id]);
  });

  it("makes a damaged index anew", async () => {
    const { id } = await saySomething(box.maker, "lemur", "ok");
    await search("lemur");
    for (const suffix of ["-wal", "-shm"]) rmSync(file() + suffix, { force: true });
    writeFileSync(file(), "this is no database at all, whatever its name says".repeat(100));
    expect(await search("lemur")).toMatchObject({ ids: [id], notes: [] });
  });

  it("damage that shows only in use costs one search the index, and is gone with the next", async () => {
    const { id } = await saySomething(box.maker, "lemur", "ok");
    for (let at = 0; at < 20; at++) await saySomething(box.maker, words(500), "ok");
    await search("lemur");
    const db = await openIndex();
    db.enableDefensive(false);
    db.exec("UPDATE word_data SET block = x'00112233' WHERE id > 10");
    db.close();
    expect(await search("lemur")).toMatchObject({ ids: [id], notes: [expect.stringContaining("corruption")] });
    expect(await search("lemur")).toMatchObject({ ids: [id], notes: [] });
  });

  it("makes an index of another version anew, readable by its owner only", async () => {
    const { id } = await saySomething(box.maker, "lemur", "ok");
    await search("lemur");
    expect(statSync(file()).mode & 0o077).toBe(0);
    const db = await openIndex();
    db.exec("PRAGMA user_version = 999");
    db.close();
    expect(await search("lemur")).toMatchObject({ ids: [id], notes: [] });
    expect(statSync(file()).mode & 0o077).toBe(0);
  });

  it("while another process writes to it, what it lacks is read from the files", async () => {
    const known = await saySomething(box.maker, "lemur one", "ok");
    const gone = await saySomething(box.maker, "lemur two", "ok");
    await search("lemur");
    rmSync(gone.path);
    const fresh = await saySomething(box.maker, "lemur three", "ok");
    setTime(known.path, 1000);
    setTime(fresh.path, 2000);
    const db = await openIndex();
    db.exec("BEGIN IMMEDIATE");
    expect(await search("lemur")).toMatchObject({ ids: [fresh.id, known.id], notes: [] });
    db.exec("ROLLBACK");
    db.close();
    expect(await search("lemur")).toMatchObject({ ids: [fresh.id, known.id], notes: [] });
  });

  it("says so when it cannot be written to at all", async () => {
    const known = await saySomething(box.maker, "lemur one", "ok");
    await search("lemur");
    const fresh = await saySomething(box.maker, `lemur two ${words(5000)}`, "ok");
    setTime(known.path, 1000);
    setTime(fresh.path, 2000);
    const { DatabaseSync } = (await loadSqlite()) ?? {};
    /** As on a full disk: a file of this many pages does not grow. */
    class Full extends (DatabaseSync ?? Object) {
      constructor(...args: unknown[]) {
        super(...args);
        (this as unknown as DatabaseSyncInstance).exec("PRAGMA max_page_count = 1");
      }
    }
    const full = async () => ({ DatabaseSync: Full }) as unknown as typeof import("@photostructure/sqlite");
    expect(await search("lemur", full)).toMatchObject({
      ids: [fresh.id, known.id],
      notes: [expect.stringMatching(/cannot be updated \(.*full\): reading the missing sessions directly/)],
    });
  });

  it("sees what is written in a folder that it has not had to look into for long", async () => {
    const { id, path } = await saySomething(box.maker, "first", "answer");
    setTime(dirname(path), 1000);
    await search("first");
    const journal = Journal.open(openStore(path), box.maker.deps);
    journal.setTitle("Gazebo", "user");
    expect((await search("gazebo")).ids).toEqual([id]);
    setTime(dirname(path), 1000); // as if opened long ago
    await search("gazebo");
    journal.setTitle("Pergola", "user");
    expect((await search("pergola")).ids).toEqual([id]);
    await journal.close();
    const other = await saySomething(box.maker, "second", "answer");
    expect((await search("second")).ids).toEqual([other.id]);
    setTime(dirname(path), 1000);
    await search("second");
    rmSync(path);
    expect((await search("first")).ids).toEqual([]);
    rmSync(dirname(path), { recursive: true });
    expect((await search("second")).ids).toEqual([]);
  });

  it.skipIf(!existsSync("/proc/self/io"))("does not look at files of folders that have not changed", async () => {
    const made = [];
    for (let at = 0; at < 30; at++) made.push(await saySomething(box.maker, words(1000), "ok"));
    setTime(dirname(made[0]?.path ?? ""), 1000);
    await search("nowhere");
    // Were they looked at, this would be read: their time is another one.
    for (const { path } of made) setTime(path, 500);
    const before = bytesRead();
    await search("nowhere");
    expect(bytesRead() - before).toBeLessThan(100_000);
  });

  it("without the package every file is read, and one line says so", async () => {
    await saySomething(box.maker, "lemur", "ok");
    const { notes } = await search("lemur", noSqlite);
    expect(notes).toEqual(["@photostructure/sqlite is not installed: reading every session, which takes longer."]);
    expect(existsSync(file())).toBe(false);
  });

  it("a place where no index can be kept is said, and every file is read", async () => {
    const { id } = await saySomething(box.maker, "lemur", "ok");
    writeFileSync(join(box.home, "cache"), "a file where the folder should be");
    const { ids, notes } = await search("lemur");
    expect(ids).toEqual([id]);
    expect(notes).toEqual([expect.stringMatching(/^The search index cannot be used \(.*\): reading every session\.$/)]);
  });
});
