// Appends until a write fails, and reports how the later ones went.

import { Message } from "@lathe/llm";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import { FileStore } from "../../src/record/journal/file-store.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";

const path = process.argv[2] ?? "";
const owner = { pid: process.pid, startTime: "", host: "here", token: "t" };
const journal = Journal.create({ id: "s", cwd: "/" }, () => new FileStore(path, { owner, create: true }), {
  blobs: new MemoryBlobs(),
  now: Date.now,
  newId: idSource(Math.random),
});
const append = (): unknown => {
  try {
    journal.append({ type: "message", message: Message.user("x".repeat(1000)) });
    return undefined;
  } catch (error) {
    return error;
  }
};
let messages = 0;
let first: unknown;
for (first = append(); first === undefined; first = append()) messages++;
const later = [append(), await journal.sync().catch((error: unknown) => error)];
await journal.close();
const isSame = later.every((error) => error === first);
process.stdout.write(JSON.stringify({ first: (first as Error).message, isSame, messages }));
