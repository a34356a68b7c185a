// Which test files may share a process with others. To start a process and load the sources anew costs more than most unit tests do.
// Whatever a file could leave behind for the next one keeps it alone: such files are found by what they say, not by a list.

import { readdirSync, readFileSync } from "node:fs";

const FOLDERS = [
  "packages/llm/test",
  "packages/testkit/test",
  "packages/tui/src",
  "packages/tui/test",
  "packages/agent/src",
  "packages/agent/test",
  "packages/lathe/src",
  "packages/lathe/test",
  "packages/web/test",
  "scripts",
];

/** Tests about the process itself: its connections, its memory, the code that others load into it, its signals. */
const OWN_PROCESS = [
  /\/llm\/test\/(runtimes|core\/growth|transport)/,
  /\/agent\/src\/world\/process\/(?!bounded-output|env-policy|output-ring)/,
  /\/agent\/test\/(compaction\/long-|parser)/,
  /\/tui\/test\/process-terminal/,
  /\/lathe\/src\/(additions\/extensions|platform\/(launcher|machine))\//,
];

/**
 * What reaches beyond the file that says it: signals, folder and environment of the process, its memory, stand-ins. To start other
 * processes does not. A text that is written for another process says the same in other words (`process.addListener`, `globalThis.x=1`).
 */
const REACHES_FURTHER =
  /node:(cluster|worker_threads|v8)|\bprocess\.(on|once|emit|chdir|umask|memoryUsage|setUncaught)\(|process\.env(\.\w+|\[[^\]]*\]) = |\bvi\.(mock|doMock|spyOn|stub|useFake)|globalThis(\.\w+|\[[^\]]*\]) = |setGlobalDispatcher/;

/** @returns paths from the root of the repository, those of a package together */
export function sharedTests(root: string): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(`${root}/${folder}`, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => `${folder}/${name}`)
      .sort(),
  ).filter(
    (file) =>
      !OWN_PROCESS.some((own) => own.test(file)) && !REACHES_FURTHER.test(readFileSync(`${root}/${file}`, "utf8")),
  );
}
