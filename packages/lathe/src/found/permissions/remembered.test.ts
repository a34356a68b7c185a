// Remembered rules of one project, as several sessions see them.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RememberedRules } from "./remembered.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "lathe-remembered-"));
});
afterEach(() => rmSync(home, { recursive: true }));

const open = (days = 30): RememberedRules =>
  new RememberedRules({ file: join(home, "p.json"), project: "/srv/p", folder: () => "1", now: () => 1000, days });
const texts = (rules: RememberedRules): string[] => rules.rules().map(({ text }) => text);

describe("a rule that is forgotten", () => {
  it("is forgotten by sessions that run, which keep what the user allowed later", async () => {
    const session = open();
    await session.add("shell(npm test *)");
    await session.add("shell(make *)");
    expect(texts(session)).toEqual(["shell(npm test *)", "shell(make *)"]);
    await open().clear();
    expect(texts(session)).toEqual([]);
    await session.add("shell(rm *)");
    expect(texts(session)).toEqual(["shell(rm *)"]);
    expect(texts(open())).toEqual(["shell(rm *)"]);
  });

  it("leaves rules that only this session has, and rules that other sessions add do not take effect here", async () => {
    const short = open(0);
    await short.add("shell(rm *)");
    const other = open();
    await other.add("shell(npm test *)");
    await open().clear();
    await other.add("shell(make *)");
    expect([texts(short), texts(other)]).toEqual([["shell(rm *)"], ["shell(make *)"]]);
  });
});
