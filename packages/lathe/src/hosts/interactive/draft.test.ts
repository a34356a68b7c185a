import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Draft } from "./draft.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "drafts-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("drafts of processes that start at the same time", () => {
  it("G-23 one that another process takes at the same moment is no error, and the text goes to one of them", () => {
    writeFileSync(join(folder, "-project.101"), "half a thought");
    const timer = { setTimer: () => ({ cancel() {} }) };
    const second = new Draft({ folder, cwd: "/project", pid: 103 }, { ...timer, isAlive: () => false });
    let taken: string | undefined;
    // While this one looks for drafts that were left, the other process takes them.
    const first = new Draft(
      { folder, cwd: "/project", pid: 102 },
      {
        ...timer,
        isAlive: () => {
          taken ??= second.adopt();
          return false;
        },
      },
    );
    expect([first.adopt(), taken]).toEqual(["", "half a thought"]);
    expect(readdirSync(folder)).toEqual(["-project.103"]);
  });
});
