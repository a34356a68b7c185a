// A new session file, written and synced twice.

import { FileStore } from "../../src/record/journal/file-store.ts";
import { processStartTime } from "../../src/record/journal/lock.ts";

const { pid } = process;
const owner = { pid, startTime: processStartTime(pid), host: "here", token: "sync" };
const store = new FileStore(process.argv[2] ?? "", { owner, create: true });
for (const line of ["one\n", "two\n"]) {
  store.append(line);
  await store.sync();
}
await store.close();
