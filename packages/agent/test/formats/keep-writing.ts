// Child process of the kill test: writes one part of a file again and again, alternating between all of one letter and
// all of another.

import { CallPaths } from "../../src/contract/paths/call-paths.ts";
import { ShownFiles } from "../../src/files/edit/shown-files.ts";
import { builtinFormats } from "../../src/files/formats/index.ts";
import { Parser } from "../../src/files/parser/parser.ts";
import { writeFileTool } from "../../src/tools/builtin/write-file/index.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";

const [directory = "", path = "", header = ""] = process.argv.slice(2);
const env = new LocalEnvironment({ cwd: directory, baseEnv: {} });
const { signal } = new AbortController();
const services = { vision: false, formats: builtinFormats, parser: new Parser() };
process.stdout.write("ready\n");
for (;;) {
  for (const letter of ["b", "a"]) {
    await writeFileTool.execute(
      { file_path: path, content: header + letter.repeat(1000) },
      {
        callId: "kill",
        env,
        signal,
        paths: new CallPaths(env, signal),
        blobs: { put: () => "" },
        onOutput: () => {},
        messages: () => [],
        call: () => Promise.reject(new Error("no session")),
        openArtifact: () => {
          throw new Error("not used");
        },
        services: { ...services, shownFiles: new ShownFiles() },
      },
    );
  }
}
