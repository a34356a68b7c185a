// Which test files may share a process with others. To start a process and load the sources anew costs more than most unit tests do.
// Whatever a file could leave behind for the next one keeps it alone: such files are found by what they say, not by a list.

import { readdirSync, readFileSync } from "node:fs";

/** Tests in memory, over files of their own and over local sockets. */
const FOLDERS = [
  "packages/llm/src",
  "packages/llm/test",
  "packages/testkit/test",
  "packages/tui/src",
  "packages/tui/test",
  "packages/agent/src",
  "packages/agent/test",
  "packages/lathe/src",
];

/** Folders and files about processes, mounts, machines, memory and signals. */
const OWN_PROCESS = [
  /\/llm\/test\/(runtimes|core\/growth|transport)/,
  /\/agent\/src\/(world|files\/(isolate|parser|target)|tools\/(run|builtin\/(bash|shell)))\//,
  /\/agent\/test\/(compaction\/long-|crash|env-|isolate|journal|parser|sandbox|shell|snapshots|target)/,
  /\/agent\/test\/session\/(interrupt|irc-crash|jobs|processes|replay|storage)/,
  /\/tui\/test\/(process-terminal|tmux)/,
  /\/lathe\/src\/(additions\/(extensions|mcp)|platform\/(launcher|machine))\//,
];

/** What reaches beyond the file that says it: processes, signals, folder and environment of the process, its memory, stand-ins. */
const REACHES_FURTHER =
  /node:(child_process|cluster|worker_threads|v8)|process\.(on|once|emit|chdir|umask|exit|kill|memoryUsage|setUncaught)|process\.env(\.\w+|\[[^\]]*\]) = |\bvi\.(mock|doMock|spyOn|stub|useFake)|globalThis(\.\w+|\[[^\]]*\]) = |setGlobalDispatcher/;

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
