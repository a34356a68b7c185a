// Child process of the kill test: applies a patch to twelve files and is killed before its n-th change of the disk.
// Arguments: root, store, n.

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { CallPaths } from "../../src/contract/paths/call-paths.ts";
import { commitJournalIn } from "../../src/files/isolate/commit-journal.ts";
import { applyPatchTool } from "../../src/tools/builtin/apply-patch/index.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { TWELVE_FILES } from "./twelve-files.ts";

const [root = "", store = "", last = "0"] = process.argv.slice(2);
let changes = 0;
const CHANGING = /^(?:mkdir|rename|link|unlink|rm|rmdir|writeFile|appendFile|write|fsync|fchmod|chmod)(?:Sync)?$/;

/** Counts everything that changes the disk, whatever code calls it. */
function countChanges(module: object): void {
  const functions = module as Record<string, unknown>;
  for (const name of Object.keys(functions).filter((one) => CHANGING.test(one))) {
    const original = functions[name] as (...args: unknown[]) => unknown;
    functions[name] = (...args: unknown[]) => {
      changes += 1;
      if (changes === Number(last)) process.kill(process.pid, "SIGKILL");
      return original.apply(module, args);
    };
  }
}

const env = new LocalEnvironment({ cwd: root, baseEnv: {} });
const { signal } = new AbortController();
const context = {
  callId: "kill",
  env,
  signal,
  paths: new CallPaths(env, signal),
  blobs: { put: () => "" },
  onOutput: () => {},
  messages: () => [],
  openArtifact: () => {
    throw new Error("not used");
  },
  call: () => Promise.reject(new Error("no session")),
  services: { vision: false, commitJournal: commitJournalIn(store) },
};
countChanges(fs);
countChanges(fs.promises);
syncBuiltinESMExports();
await applyPatchTool.execute({ patch: TWELVE_FILES.patch }, context);
console.log(changes);
