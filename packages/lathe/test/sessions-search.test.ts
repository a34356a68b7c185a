import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeLine, Journal } from "@lathe/agent";
import { Message } from "@lathe/llm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openWorkspace } from "../src/run/workspace.ts";
import { loadSqlite, searchSessions } from "../src/sessions/search.ts";
import { parseQuery } from "../src/sessions/search-query.ts";
import { type Box, makeBox } from "./sessions-box.ts";
import { answer, call, openStore, result, saySomething, user } from "./sessions-fixture.ts";

let box: Box;
beforeEach(() => {
  box = makeBox();
});
afterEach(() => box.remove());

interface Outcome {
  readonly ids: string[];
  readonly snippets: string[];
  readonly notes: string[];
}

async function search(words: string, sqlite = loadSqlite): Promise<Outcome> {
  const notes: string[] = [];
  const workspace = await openWorkspace(box.machine(), {});
  const note = (text: string): void => void notes.push(text);
  const query = parseQuery(words.split(" "));
  const found = await searchSessions(workspace, { query, limit: 20, width: 140, sqlite, note });
  return {
    ids: found.map(({ session }) => session.id),
    snippets: found.map(({ snippet: { before, match, after } }) => `${before}[${match}]${after}`),
    notes,
  };
}

const noSqlite = async (): Promise<undefined> => undefined;

/** The index and the plain scan must find the same. */
const ways = [
  ["index", loadSqlite],
  ["scan", noSqlite],
] as const;

describe.each(ways)("search by %s", (_name, sqlite) => {
  it("finds words in prompts, answers, calls, results and titles, whatever their case", async () => {
    const talk = await saySomething(box.maker, "please polish the Samovar", "it shines");
    const tools = box.maker.make();
    tools.journal.append(user("look"));
    tools.journal.append(call("c1", "bash", { command: "grep -r zeppelin ." }));
    tools.journal.append(result("c1", "src/main.ts: const barometer = 3;"));
    tools.journal.setTitle("Weather instruments", "user");
    await tools.journal.close();
    expect((await search("samovar", sqlite)).ids).toEqual([talk.id]);
    expect((await search("SHINES", sqlite)).ids).toEqual([talk.id]);
    for (const word of ["zeppelin", "barometer", "instruments"]) {
      expect((await search(word, sqlite)).ids, word).toEqual([tools.id]);
    }
    expect((await search("nowhere", sqlite)).ids).toEqual([]);
  });

  it("wants all words in one message, each from its beginning, punctuation aside", async () => {
    const both = await saySomething(box.maker, "rename foo_bar to fooBaz.qux", "ok");
    await saySomething(box.maker, "rename nothing", "foo bar stays in another message");
    expect((await search("rename foo_bar", sqlite)).ids).toEqual([both.id]);
    expect((await search("qux ren", sqlite)).ids).toEqual([both.id]);
    expect((await search("foobaz.qux", sqlite)).ids).toEqual([both.id]);
    expect((await search("ename", sqlite)).ids).toEqual([]);
  });

  it("finds a word inside text that is written without spaces", async () => {
    const { id } = await saySomething(box.maker, "設定ファイルを読む", "はい");
    expect((await search("ファイル", sqlite)).ids).toEqual([id]);
    expect((await search("読書", sqlite)).ids).toEqual([]);
  });

  it("takes nothing in the words for its own language", async () => {
    const { id } = await saySomething(box.maker, 'a "quoted" NEAR miss AND more* or -less', "ok");
    for (const words of ['"quoted', "NEAR AND", "more* -less"]) {
      expect((await search(words, sqlite)).ids, words).toEqual([id]);
    }
  });

  it("finds what subagents did, under their session, and texts kept in blobs", async () => {
    const parent = await saySomething(box.maker, "start", "done");
    await saySomething(box.maker, "look for the aardvark", "found", {
      path: parent.path.replace(".jsonl", "/agent-1.jsonl"),
      agentId: "agent-1",
    });
    const long = await saySomething(box.maker, `${"filler ".repeat(20_000)} ocelot`, "ok");
    expect(statSync(long.path).size).toBeLessThan(5000);
    expect((await search("aardvark", sqlite)).ids).toEqual([parent.id]);
    expect((await search("ocelot", sqlite)).ids).toEqual([long.id]);
  });

  it("shows the words around the hit on one line", async () => {
    await saySomething(box.maker, `${"before ".repeat(30)}\nthe\tneedle\u001b[31m here ${"after ".repeat(30)}`, "ok");
    const { snippets } = await search("needle", sqlite);
    expect(snippets[0]).toMatch(/^…(before )+the \[needle\] here( after)+…$/);
    expect(snippets[0]?.length).toBeLessThan(170);
  });

  it("a damaged line costs that line only", async () => {
    const { id, path } = await saySomething(box.maker, "first platypus", "second wombat");
    writeFileSync(path, readFileSync(path, "utf8").replace("platypus", "platyquz"));
    expect((await search("platyquz", sqlite)).ids).toEqual([]);
    expect((await search("wombat", sqlite)).ids).toEqual([id]);
  });
});

describe("the search index", () => {
  const file = (): string => join(box.home, "cache", "search.db");

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

  it("makes an index of another version anew", async () => {
    const { id } = await saySomething(box.maker, "lemur", "ok");
    await search("lemur");
    const { DatabaseSync } = (await loadSqlite()) ?? {};
    if (!DatabaseSync) throw new Error("this test needs @photostructure/sqlite");
    const db = new DatabaseSync(file());
    db.exec("PRAGMA user_version = 999");
    db.close();
    expect(await search("lemur")).toMatchObject({ ids: [id], notes: [] });
  });

  it("is readable by its owner only", async () => {
    await saySomething(box.maker, "lemur", "ok");
    await search("lemur");
    expect(statSync(file()).mode & 0o077).toBe(0);
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

describe("lathe sessions search", () => {
  it("prints session, title and snippet, or that there is nothing", async () => {
    const { id, journal, path } = box.maker.make();
    journal.append(user("where is the heron"));
    journal.append(answer("at the pond"));
    journal.setTitle("Birds", "user");
    await journal.close();
    const { stdout, code } = await box.run("sessions", "search", "pond");
    expect(stdout).toMatch(new RegExp(`^${id.slice(0, 8)}  Birds  \\(.*\\)\n    at the pond\n$`));
    expect(code).toBe(0);
    expect(await box.run("sessions", "search", "stork")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "Nothing found.\n",
    });
    expect(await box.run("sessions", "search", "--", "--")).toMatchObject({ code: 2 });
    const json = JSON.parse((await box.run("sessions", "search", "--json", "heron")).stdout) as unknown[];
    expect(json).toEqual([expect.objectContaining({ id, path, title: "Birds", snippet: "where is the heron" })]);
  });
});
