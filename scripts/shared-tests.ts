// Which test files may share a process. Starting a process and loading the sources costs more than most unit tests. A
// file that could leave anything behind for the next one gets its own process: such files are recognized by their text,
// not by a list.

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

/** Tests about the process itself: its connections, its memory, loaded code, its signals. */
const OWN_PROCESS = [
  /\/llm\/test\/(runtimes|core\/growth|transport)/,
  /\/agent\/src\/world\/process\/(?!bounded-output|env-policy|output-ring)/,
  /\/agent\/test\/(compaction\/long-|parser)/,
  /\/tui\/test\/process-terminal/,
  /\/lathe\/src\/(additions\/extensions|platform\/(launcher|machine))\//,
];

/**
 * Matches what affects the whole process: signals, working directory and environment, its memory, mocks. Starting other
 * processes does not. Text meant for another process must use other words for these (`process.addListener`,
 * `globalThis.x=1`).
 */
const REACHES_FURTHER =
  /node:(cluster|worker_threads|v8)|\bprocess\.(on|once|emit|chdir|umask|memoryUsage|setUncaught)\(|process\.env(\.\w+|\[[^\]]*\]) = |\bvi\.(mock|doMock|spyOn|stub|useFake)|globalThis(\.\w+|\[[^\]]*\]) = |setGlobalDispatcher/;

/** @returns paths from the root of the repository, grouped by package */
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
