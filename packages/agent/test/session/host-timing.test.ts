import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FileBlobs } from "../../src/base/blobs/file-blobs.ts";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import { FileStore } from "../../src/record/journal/file-store.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { Session } from "../../src/session/session.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { ScriptedClient } from "../support/scripted-client.ts";
import { echo, type Setup, setUp, testDeps, testProfile, tool } from "../support/session.ts";

it("EH-03 an input given at the end of the one before is waited for when the session closes", async () => {
  let started = (): void => {};
  const running = new Promise<void>((resolve) => {
    started = resolve;
  });
  const hang = tool("hang", (_args, { signal }) => {
    started();
    return new Promise((_resolve, reject) => {
      // Ends a good while after it was told to.
      signal.addEventListener("abort", () => setTimeout(reject, 30, new Error("stopped")), { once: true });
    });
  });
  const s = setUp({ profile: testProfile([hang]), script: [{ text: "one" }, { calls: [{ name: "hang", id: "h" }] }] });
  let second: Promise<unknown> | undefined;
  void (async () => {
    for await (const event of s.session.events()) {
      if (event.kind === "processing_end") second ??= s.session.submit("two");
    }
  })();
  await s.session.submit("one");
  await running;
  await s.finish();
  await second;
  expect(s.kinds().slice(-2)).toEqual(["processing_end", "session_end"]);
});

it("EH-03 a session that is ended at the very first event of an input closes that input first", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lathe-host-"));
  const deps = testDeps();
  const owner = { pid: process.pid, startTime: "", host: "here", token: "t" };
  const journal = Journal.create(
    { id: "s", cwd: "/work" },
    () => new FileStore(join(folder, "s.jsonl"), { create: true, owner }),
    { blobs: new FileBlobs(join(folder, "blobs"), "w"), now: deps.now, newId: idSource(deps.random) },
  );
  const s: Setup = setUp({
    deps,
    journal,
    script: [{ text: "never" }],
    onEvent: (event) => {
      if (event.kind === "state_changed") void s.session.abort();
    },
  });
  await s.session.submit("go");
  await s.finish();
  expect(s.of("processing_end").map((event) => event.data.reason)).toEqual(["aborted"]);
  expect(s.of("session_end")[0]?.data.reason).toBe("aborted");
});

it("a session that was resumed to continue on its own may be closed at once", async () => {
  const deps = testDeps();
  const store = new MemoryStore();
  const journalDeps = { blobs: new MemoryBlobs(), now: deps.now, newId: idSource(deps.random) };
  const journal = Journal.create({ id: "s", cwd: "/work" }, () => store, journalDeps);
  let asked = (): void => {};
  const waiting = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const before = (): Promise<void> => {
    asked();
    return new Promise(() => {});
  };
  const cut = setUp({ deps, journal, script: [{ text: "x", before }] });
  void cut.session.submit("go");
  await waiting;
  const client = new ScriptedClient([{ text: "again" }]);
  const copy = new MemoryStore(store.read(0, store.size));
  const session = Session.resume({
    profile: testProfile([echo]),
    env: new MemoryEnvironment(),
    client,
    deps,
    journal: Journal.open(copy, journalDeps),
    continue: true,
  });
  // An unhandled rejection would fail the run of this file.
  await session.close();
  expect(client.requests).toEqual([]);
  await cut.finish();
});

it("EV-01 a listener that throws costs nobody anything: the run goes on, others hear everything, the error is told once", async () => {
  const s = setUp({
    script: [{ text: "one" }, { text: "two" }],
    onEvent: () => {
      throw new Error("a bug of the host");
    },
  });
  await s.session.submit("first");
  await s.session.submit("second");
  await s.finish();
  expect(s.of("error").map(({ data }) => [data.code, data.fatal, data.message])).toEqual([
    ["listener_failed", false, "onEvent threw: a bug of the host. Further errors from it are not reported."],
  ]);
  expect(s.of("processing_end").map((event) => event.data.reason)).toEqual(["completed", "completed"]);
  expect(s.of("session_end")).toHaveLength(1);
});
