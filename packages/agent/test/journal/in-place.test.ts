import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { defaultDeps } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import type { JournalError } from "../../src/record/journal/errors.ts";
import { FileStore } from "../../src/record/journal/file-store.ts";
import { openJournalFile } from "../../src/record/journal/open-file.ts";
import { setUp, testProfile, tool } from "../support/session.ts";
import { tempFolder, testOwner } from "./support.ts";

const place = (): string => {
  const folder = join(tempFolder(), "x");
  mkdirSync(folder);
  return join(folder, "s.jsonl");
};

const changes: readonly (readonly [name: string, change: (path: string) => void, message: RegExp])[] = [
  ["is deleted", (path) => rmSync(path), /s\.jsonl was deleted.*restore the file/],
  ["loses its folder", (path) => rmSync(dirname(path), { recursive: true }), /s\.jsonl was deleted/],
  ["is renamed", (path) => renameSync(path, `${path}.old`), /moved or renamed.*at its new path/],
  ["has its folder renamed", (path) => renameSync(dirname(path), `${dirname(path)}.old`), /moved or renamed/],
  ["is emptied", (path) => writeFileSync(path, ""), /changed by another program.* 0 bytes instead of 6/],
  ["is cut", (path) => truncateSync(path, 3), /3 bytes instead of 6/],
  ["is written to by another program", (path) => appendFileSync(path, "x"), /7 bytes instead of 6/],
  [
    "is replaced by a copy",
    (path) => {
      copyFileSync(path, `${path}.copy`);
      renameSync(`${path}.copy`, path);
    },
    /replaced by another file/,
  ],
];

describe("a session file that another program touches while the session is open", () => {
  it.each(changes)(
    "G-28 a file that %s refuses what comes next, by name, and every later write",
    async (_name, change, message) => {
      const path = place();
      const store = new FileStore(path, { owner: testOwner(), create: true });
      store.append("first\n");
      await store.sync();
      change(path);
      const errorOf = (work: () => void): unknown => {
        try {
          work();
          return undefined;
        } catch (error) {
          return error;
        }
      };
      const first = errorOf(() => store.append("second\n")) as JournalError;
      expect([first.code, first.message]).toEqual(["io", expect.stringMatching(message)]);
      expect(first.message).toContain(path);
      expect(errorOf(() => store.append("third\n"))).toBe(first);
      await expect(store.sync()).rejects.toBe(first);
      await store.close();
      if (existsSync(path)) expect(readFileSync(path, "utf8")).not.toContain("second");
    },
  );

  it("G-28 a file that is deleted after its last line is not said to be on disk", async () => {
    const path = place();
    const store = new FileStore(path, { owner: testOwner(), create: true });
    store.append("first\n");
    rmSync(path);
    await expect(store.sync()).rejects.toThrow("was deleted");
    await store.close();
  });

  it("G-28 a session whose file is deleted between two inputs runs nothing more and says why", async () => {
    const path = place();
    let runs = 0;
    const act = tool("act", () => `${++runs}`, { replay: "never" });
    const s = setUp({
      journal: openJournalFile({ path, cwd: "/work", deps: defaultDeps({ env: {} }) }),
      profile: testProfile([act]),
      script: (request) =>
        request.messages.at(-1)?.role === "tool"
          ? { text: "done" }
          : { calls: [{ name: "act", id: `a${runs}`, args: {} }] },
    });
    expect(await s.session.submit("one")).toMatchObject({ reason: "completed" });
    rmSync(dirname(path), { recursive: true });
    const recorded: string[] = [];
    const outcome = await s.session.submit("two", { onRecorded: () => recorded.push("two") });
    expect(outcome).toMatchObject({
      reason: "error",
      error: { kind: "storage", message: expect.stringContaining(path) },
    });
    expect([runs, recorded, s.session.state, s.client.requests.length]).toEqual([1, [], "closed", 2]);
    await expect(s.session.submit("three")).rejects.toThrow("session is closed");
    await s.finish();
  });

  it("G-28 a message for the queue is not taken when the file is gone, and the work ends", async () => {
    const path = place();
    let steered: unknown;
    const s = setUp({
      journal: openJournalFile({ path, cwd: "/work", deps: defaultDeps({ env: {} }) }),
      profile: testProfile([
        tool("act", () => {
          rmSync(path);
          try {
            steered = s.session.steer("look here");
          } catch (error) {
            steered = (error as Error).message;
          }
          return "ok";
        }),
      ]),
      script: [{ calls: [{ name: "act", id: "a", args: {} }] }, { text: "never asked" }],
    });
    expect(await s.session.submit("go")).toMatchObject({ reason: "error", error: { kind: "storage" } });
    expect(steered).toContain("was deleted");
    expect([s.client.requests.length, s.session.state]).toEqual([1, "closed"]);
    await s.finish();
  });
});
