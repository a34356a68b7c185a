import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultDeps, Message } from "@lathe/llm";
import { afterEach, expect, it } from "vitest";
import type { Journal } from "../../src/record/journal/journal.ts";
import { childJournalFiles, openJournalFile } from "../../src/record/journal/open-file.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const deps = defaultDeps({ env: {} });
function fileOptions(name = "task.jsonl", folder?: string) {
  const place = folder ?? mkdtempSync(join(tmpdir(), "lathe-journal-file-"));
  if (folder === undefined) folders.push(place);
  return { path: join(place, name), cwd: "/work", deps, folder: place };
}
const say = (journal: Journal, text: string) => journal.append({ type: "message", message: Message.user(text) }).id;
const said = (journal: Journal) => journal.context.messages.map((message) => message.content);

it("a host's journal is begun, kept and opened again by the same call", async () => {
  const options = fileOptions();
  const first = openJournalFile(options);
  expect(existsSync(options.path)).toBe(false);
  expect(() => openJournalFile(options)).toThrow("This session is open in process");
  say(first, "x".repeat(100_000));
  expect(() => openJournalFile(options)).toThrow("This session is open in process");
  await first.close();
  const again = openJournalFile({ ...options, cwd: "/elsewhere" });
  expect([again.header.id, again.header.cwd]).toEqual([first.header.id, "/work"]);
  expect(said(again)).toEqual(said(first));
  expect(existsSync(join(options.folder, "blobs"))).toBe(true);
  await again.close();
});

it("a journal that is closed before its first message leaves nothing, and its path is free", async () => {
  const options = fileOptions();
  await openJournalFile(options).close();
  expect(readdirSync(options.folder)).toEqual([]);
  const again = openJournalFile(options);
  say(again, "one");
  await again.close();
  expect(readdirSync(options.folder)).toEqual(["task.jsonl"]);
});

it("a copy begins where it is told to and leaves its source alone", async () => {
  const options = fileOptions();
  const source = openJournalFile(options);
  const at = say(source, "one");
  say(source, "two");
  const fork = openJournalFile({ ...fileOptions("copy.jsonl", options.folder), forkOf: { journal: source, upTo: at } });
  say(fork, "three");
  expect(said(fork)).toHaveLength(2);
  expect(said(source)).toHaveLength(2);
  expect(fork.header.parentSession).toBe(options.path);
  await Promise.all([source.close(), fork.close()]);
});

it("children have their journals in the folder of their parent's, also the next time", async () => {
  const options = fileOptions();
  const parent = openJournalFile(options);
  const children = childJournalFiles(parent, { deps });
  const header = { agentId: "a1", parentSession: parent.header.id, parentCall: "c1", cwd: "/work" };
  // The parent has no messages yet: a host may start an agent first.
  const child = children(header);
  say(child, "task");
  expect(existsSync(join(options.folder, "task", "a1.jsonl"))).toBe(true);
  await child.close();
  const revived = children(header);
  expect([revived.header.id, revived.header.parentCall]).toEqual([child.header.id, "c1"]);
  await Promise.all([parent.close(), revived.close()]);
});
