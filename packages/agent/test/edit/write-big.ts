// Child process of the kill test: overwrites a file with 50 MB of one letter, again and again, and reports when it
// starts.

import { CallPaths } from "../../src/contract/paths/call-paths.ts";
import { writeFileTool } from "../../src/tools/builtin/write-file/index.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";

const [directory = ""] = process.argv.slice(2);
const env = new LocalEnvironment({ cwd: directory, baseEnv: {} });
const context = {
  callId: "kill",
  env,
  signal: new AbortController().signal,
  get paths() {
    return new CallPaths(env, this.signal);
  },
  blobs: { put: () => "" },
  onOutput: () => {},
  messages: () => [],
  call: () => Promise.reject(new Error("no session")),
  openArtifact: () => {
    throw new Error("not used");
  },
  services: { vision: false },
};
process.stdout.write("ready\n");
for (;;) {
  for (const letter of ["b", "a"]) {
    await writeFileTool.execute({ file_path: "big.txt", content: letter.repeat(50_000_000) }, context);
  }
}
