import { readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadSqlite } from "../src/sessions/search.ts";
import { type Box, makeBox } from "./sessions-box.ts";
import { answer, call, result, saySomething, user } from "./sessions-fixture.ts";
import { noSqlite, type Outcome, searchIn } from "./sessions-searching.ts";

let box: Box;
beforeEach(() => {
  box = makeBox();
});
afterEach(() => box.remove());

const search = (words: string, sqlite = loadSqlite): Promise<Outcome> => searchIn(box, words, sqlite);

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

  it("takes one or two letters for a whole word", async () => {
    const { id } = await saySomething(box.maker, "go to the c file", "ok");
    await saySomething(box.maker, "gopher and cfile", "ok");
    expect((await search("go", sqlite)).ids).toEqual([id]);
    expect((await search("c fil", sqlite)).ids).toEqual([id]);
    expect((await search("gop", sqlite)).ids).toHaveLength(1);
  });

  it("gives the newest sessions first, each once with its first hit", async () => {
    const made = [];
    for (const word of ["one", "two", "three"])
      made.push(await saySomething(box.maker, `heron ${word}`, "heron again"));
    await saySomething(box.maker, "look for the heron", "found", {
      path: made[1]?.path.replace(".jsonl", "/agent-1.jsonl"),
      agentId: "agent-1",
    });
    for (const [at, { path }] of made.entries()) utimesSync(path, 1000 + at, 1000 + at);
    const { ids, snippets } = await search("heron", sqlite);
    expect(ids).toEqual(made.map(({ id }) => id).reverse());
    expect(snippets).toEqual(["[heron] three", "[heron] two", "[heron] one"]);
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
    await saySomething(box.maker, "another pond", "ok");
    const cut = await box.run("sessions", "search", "pond", "-n", "1");
    expect(cut).toMatchObject({ code: 0, stderr: "More sessions match; -n 0 shows all.\n" });
    expect(cut.stdout.match(/pond/g)).toHaveLength(2); // a title and a hit
    const json = JSON.parse((await box.run("sessions", "search", "--json", "heron")).stdout) as unknown[];
    expect(json).toEqual([expect.objectContaining({ id, path, title: "Birds", snippet: "where is the heron" })]);
  });

  it("in a terminal every word is marked and a line fits", async () => {
    await saySomething(
      box.maker,
      `a long ${"story ".repeat(40)} about the 1m heron at the pond ${"x".repeat(99)}`,
      "ok",
    );
    const { stdout } = await box.inTerminal(60, "sessions", "search", "heron", "1m", "pon");
    const [, hit = ""] = stdout.split("\n");
    expect(hit).toMatch(
      /^ {4}….*the \u001b\[1m1m\u001b\[22m \u001b\[1mheron\u001b\[22m at the \u001b\[1mpon\u001b\[22md x+…$/,
    );
    expect(stripVTControlCharacters(hit).length).toBeLessThanOrEqual(60);
  });
});

it("SP-08 nothing that a session holds reaches the terminal as a sequence it would act on, or reorders what is shown", async () => {
  const evil =
    "\u001b]52;c;ZXZpbA==\u0007 \u001b[2J needle \u001b]0;title\u0007 \u009b31m \u202e backwards \u0008\r over";
  const { journal } = box.maker.make({
    id: "abc\u001b[31mred",
    path: `${box.home}/sessions/--x--/2026_abc.jsonl`,
    cwd: `/w\u001b[7m\u202e`,
  });
  journal.append(user(evil));
  journal.append(call("c", evil, { [evil]: evil }));
  journal.append(result("c", evil));
  journal.append(answer(evil));
  journal.setTitle(evil, "user");
  await journal.close();
  for (const args of [["search", "needle"], ["list", "--all"], ["show", "abc"], ["stats"]] as const) {
    const [verb, ...words] = args;
    const all = verb === "stats" ? [] : [verb, ...words];
    const { stdout, stderr } = await box.inTerminal(80, verb === "stats" ? "stats" : "sessions", ...all);
    const shown = (stdout + stderr).replace(/\u001b\[(?:1|2|22)m/g, "");
    expect(shown).toMatch(/^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]*$/);
    if (args[0] !== "stats") expect(shown).toContain("needle");
  }
});
