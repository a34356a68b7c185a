// Wrong arguments of a host without types: one clear error, nothing stored, and the session works on.

import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultDeps } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { SessionError } from "../../src/contract/session-error.ts";
import { openJournalFile } from "../../src/record/journal/open-file.ts";
import { Session } from "../../src/session/session.ts";
import { echo, setUp, testDeps, testProfile } from "../support/session.ts";

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;
const throwing = {
  get part() {
    throw new Error("boom");
  },
};
const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));

type Call = (session: Session, value: never) => unknown;
const use: Call = (session, value) => session.use(value);
const setProfile: Call = (session, value) => session.setProfile(value);
const registerTool: Call = (session, value) => session.registerTool(value);
const submit: Call = (session, value) => session.submit("x", value);
const compact: Call = (session, value) => session.compact(value);
const keep: Call = (session, value) => session.appendCustom("kind", value);
const keepAs: Call = (session, value) => session.appendCustom(value, {});

const WRONG: readonly (readonly [name: string, call: Call, value: unknown, message: string])[] = [
  ["use", use, null, "middleware must be an object with a name and hooks, not null"],
  ["use", use, 5, "middleware must be an object with a name and hooks, not 5"],
  ["use", use, { onInput: () => undefined }, "the name of middleware must be a text, not undefined"],
  ["use", use, { name: "x", onInput: 5 }, "onInput of the middleware x must be a function, not 5"],
  ["use", use, { name: "x", timeoutMs: "1" }, "timeoutMs of the middleware x must be a number, not '1'"],
  ["setProfile", setProfile, null, "the profile must be an object, such as one made by defineProfile, not null"],
  ["setProfile", setProfile, {}, "id of the profile must be a text that is not empty, not undefined"],
  ["setProfile", setProfile, { ...testProfile(), tools: [] }, "tools of the profile must be a function, not []"],
  ["setProfile", setProfile, { ...testProfile(), toolRegistry: {} }, "toolRegistry of the profile must be a"],
  ["registerTool", registerTool, null, "a tool must be an object, not null"],
  ["registerTool", registerTool, { name: "x" }, "tool x has no execute"],
  ["registerTool", registerTool, { name: "x", execute: () => "" }, "the schema of tool x must have the root type"],
  ["registerTool", registerTool, { ...echo, execute: 5 }, "execute of tool echo must be a function, not 5"],
  ["submit", submit, null, "submit: the options must be an object, not null"],
  ["submit", submit, 5, "submit: the options must be an object, not 5"],
  ["submit", submit, { onRecorded: 5 }, "submit: onRecorded must be a function, not 5"],
  ["submit", submit, { entryId: 5 }, "submit: entryId must be a text, not 5"],
  ["compact", compact, 5, "the compaction must be { reason, summarize } or { reason, summary, firstKeptEntryId }"],
  ["compact", compact, { summarize: () => undefined }, "the compaction must be { reason, summarize }"],
  ["navigate", (session, value) => session.navigate(null, value), null, "navigate: the options must be an object"],
  ["callModel", (session, value) => session.callModel("x", value), null, "callModel: the call must be { messages }"],
  ["answerApproval", (session, value) => session.answerApproval("x", value), { decision: "x" }, "answerApproval: the"],
  ["appendCustom", keepAs, 5, "customType must be a text that is not empty, not 5"],
  ["appendCustom", keep, cyclic, "the data of the kind entry cannot be stored: it contains itself"],
  ["appendCustom", keep, throwing, "the data of the kind entry cannot be stored: boom"],
  ["appendCustom", keep, 1n, "the data of the kind entry cannot be stored: Do not know how to serialize a BigInt"],
  [
    "appendCustom",
    keep,
    () => 5,
    "the data of the kind entry cannot be stored: it must be a JSON value, not a function",
  ],
  [
    "appendCustom",
    keep,
    nested(201),
    "the data of the kind entry cannot be stored: it is nested deeper than 200 levels",
  ],
  ["appendCustom", keep, nested(50_000), "it is nested deeper than 200 levels"],
  ["appendCustomMessage", (session, value) => session.appendCustomMessage("k", value), 5, "the text of the k message"],
  [
    "appendCustomMessage",
    (session, value) => session.appendCustomMessage("k", "x", value),
    null,
    "appendCustomMessage: the options must be an object, not null",
  ],
];

it.each(WRONG)(
  "%s with a wrong argument is refused in one line, and the session works on",
  async (_, call, value, message) => {
    const s = setUp({ script: [{ text: "a" }, { text: "b" }] });
    await s.session.submit("1");
    const before = [...s.session.journal.entryIds()];
    const error = await (async () => call(s.session, value as never))().catch((problem: unknown) => problem);
    expect(error).toBeInstanceOf(SessionError);
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).not.toContain("\n");
    expect([...s.session.journal.entryIds()]).toEqual(before);
    expect(await s.session.submit("2")).toMatchObject({ reason: "completed", text: "b" });
    await s.finish();
    expect(s.of("warning")).toEqual([]);
  },
);

it.each([
  ["middleware", [null], "middleware must be an object"],
  ["middleware", 5, "middleware must be a list, not 5"],
  ["profile", null, "new Session needs profile"],
  ["profile", {}, "id of the profile must be a text"],
  ["tools", [null], "a tool must be an object, not null"],
])("new Session refuses %s that is %j", (option, value, message) => {
  const { client, profile, env } = setUp({ script: [] }).session;
  const options = { profile, env, client, deps: testDeps(), [option]: value };
  expect(() => new Session(options as never)).toThrow(message);
});

it("a provider of tools that returns nonsense is named in a warning, and inputs go on without them", async () => {
  const tools = () => [null] as never;
  const s = setUp({ toolProviders: [{ tools }], script: [{ text: "done" }] });
  expect(await s.session.submit("go")).toMatchObject({ reason: "completed" });
  await s.finish();
  expect(s.of("warning").map(({ data }) => data.message)).toEqual([
    "The tools of a provider cannot be listed: they must be a list of tools, not [ null ].",
  ]);
});

describe("the data of extensions", () => {
  it("is kept as it was when it was appended, to the deepest level that can be read back", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "lathe-custom-")), "s.jsonl");
    const deps = defaultDeps();
    const s = setUp({ journal: openJournalFile({ path, cwd: "/", deps }), script: [{ text: "a" }] });
    await s.session.submit("1");
    const data = { list: [1] };
    s.session.appendCustom("kind", data);
    data.list.push(2);
    s.session.appendCustom("deep", nested(200) as never);
    await s.finish();
    const journal = openJournalFile({ path, cwd: "/", deps });
    const custom = [...journal.entryIds()].map((id) => journal.entry(id)).filter(({ type }) => type === "custom");
    expect(custom).toMatchObject([{ data: { list: [1] } }, { customType: "deep", data: nested(200) }]);
    expect(journal.losses).toEqual([]);
    await journal.close();
  });

  it("a value that a journal cannot hold is not reported as a full disk, and nothing of it is written", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "lathe-custom-")), "s.jsonl");
    const journal = openJournalFile({ path, cwd: "/", deps: defaultDeps() });
    journal.persist();
    const before = readFileSync(path, "utf8");
    for (const data of [cyclic, throwing, 1n])
      expect(() => journal.append({ type: "custom", customType: "x", data: data as never })).toThrow(
        /^An entry of the kind custom cannot be stored: [^\n]+\.$/,
      );
    expect(readFileSync(path, "utf8")).toBe(before);
    await journal.close();
  });
});
