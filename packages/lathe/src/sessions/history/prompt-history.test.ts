import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import { type EarlierPrompt, PromptHistory } from "./prompt-history.ts";

let file: string;
let clock = 0;
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), "lathe-history-")), "home", "history.db");
});

const open = () =>
  new PromptHistory({ file, now: () => ++clock, redact: (text) => text.replaceAll("sk-secret", "[redacted:KEY]") });
const prompts = (found: readonly EarlierPrompt[]) => found.map(({ prompt }) => prompt);

describe("LS-12 G-41 prompt history", () => {
  it("keeps prompts of three runs, the repeated one once, where SQLite and its full-text table show them", async () => {
    for (const prompt of ["alpha", "alpha", "beta"]) {
      const history = open();
      history.add(prompt, "/work");
      await history.close();
    }
    const db = new DatabaseSync(file);
    expect(db.prepare("SELECT prompt, cwd FROM history").all()).toEqual([
      { prompt: "alpha", cwd: "/work" },
      { prompt: "beta", cwd: "/work" },
    ]);
    expect(db.prepare("SELECT prompt FROM history_fts WHERE history_fts MATCH 'beta'").all()).toHaveLength(1);
    db.close();
    const later = open();
    expect(prompts(await later.search("alp", 5))).toEqual(["alpha"]);
    expect(prompts(await later.recent(5))).toEqual(["beta", "alpha"]);
    await later.close();
    expect(statSync(file).mode & 0o77).toBe(0);
  });

  it("finds by the beginnings of words, newest first, each prompt once; odd characters find nothing and break nothing", async () => {
    const history = open();
    for (const [prompt, cwd] of [
      ["fix the parser tests", "/a"],
      ["explain the Parser", "/b"],
      ["fix the parser tests", "/b"],
      ["größer und 漢字", "/b"],
    ] as const)
      history.add(prompt, cwd);
    expect(prompts(await history.search("pars", 5))).toEqual(["fix the parser tests", "explain the Parser"]);
    expect(prompts(await history.search("test pars", 5))).toEqual(["fix the parser tests"]);
    expect(prompts(await history.search("größ", 5))).toEqual(["größer und 漢字"]);
    for (const odd of [`"`, "*", "a OR (", "NEAR(", "'; DROP TABLE history; --"])
      await expect(history.search(odd, 5)).resolves.toBeInstanceOf(Array);
    expect(prompts(await history.search("  ", 2))).toHaveLength(2);
    expect(prompts(await history.recent(9, "/a"))).toEqual(["fix the parser tests"]);
    expect(history.problem).toBeUndefined();
    await history.close();
  });

  it("does not write down a known secret", async () => {
    const history = open();
    history.add("use the key sk-secret", "/work");
    await history.close();
    for (const name of [file, `${file}-wal`])
      if (existsSync(name)) expect(readFileSync(name).includes("sk-secret")).toBe(false);
    expect(prompts(await open().recent(1))).toEqual(["use the key [redacted:KEY]"]);
  });

  it("a damaged file is put aside and a new one begun; nothing is thrown at the person who types", async () => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "this is no database, whatever its name says".repeat(100));
    const history = open();
    history.add("two", "/work");
    expect(prompts(await history.recent(5))).toEqual(["two"]);
    expect(existsSync(`${file}.damaged`)).toBe(true);
    await history.close();
  });

  it("two processes may add at the same time", async () => {
    const [one, other] = [open(), open()];
    for (let n = 0; n < 50; n++) (n % 2 ? one : other).add(`prompt ${n}`, "/work");
    await Promise.all([one.close(), other.close()]);
    expect(await open().recent(100)).toHaveLength(50);
  });

  it("a folder that cannot be written costs the history only, and it says so", async () => {
    writeFileSync(join(file, "..", "..", "home"), "in the way");
    const history = open();
    history.add("one", "/work");
    await history.close();
    expect(history.problem).toMatch(/^Prompts are not being saved: /);
    expect(await history.recent(5)).toEqual([]);
  });
});
