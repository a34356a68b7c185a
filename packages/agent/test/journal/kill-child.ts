// Appends until it is killed; prints each message on stdout once its append has returned.

import { writeSync } from "node:fs";
import { Message } from "@lathe/llm";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import { FileStore } from "../../src/record/journal/file-store.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { processStartTime } from "../../src/record/journal/lock.ts";

const path = process.argv[2] ?? "";
const { pid } = process;
const owner = { pid, startTime: processStartTime(pid), host: "here", token: `child${pid}` };
const deps = { blobs: new MemoryBlobs(), now: Date.now, newId: idSource(Math.random) };
const journal = Journal.create({ id: "s", cwd: "/" }, () => new FileStore(path, { owner, create: true }), deps);
for (let at = 0; ; at++) {
  journal.append({ type: "message", message: Message.user(`message ${at} ${"x".repeat((at * 7919) % 20_000)}`) });
  writeSync(1, `${at}\n`);
}
