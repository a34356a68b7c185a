// How the parser process is started, with its limits: from sources, from the built library and from the packed command.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { ProgramArgv } from "../../world/process/types.ts";

/** The program is next to the sources, in the library's folder, or next to the packs of the command. */
const PLACES = ["./main.ts", "./files/parser/main.js", "../parser/main.js"];

export function parserFile(): string {
  const files = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const file = files.find((one) => existsSync(one));
  if (file === undefined) throw new Error("the file parser/main.js is missing: reinstall Lathe");
  return file;
}

/** Memory that node itself needs in addition: thread stacks and the young generation. */
const NODE_ITSELF_MB = 192;

/** `file`: the program to run in the process. */
export function parserArgv(file: string, memoryMb: number, platform: NodeJS.Platform): ProgramArgv {
  const loader = file.endsWith(".ts") ? ["--import", createRequire(import.meta.url).resolve("tsx")] : [];
  const program = [process.execPath, `--max-old-space-size=${memoryMb}`, ...loader, file];
  const wholeMb = memoryMb + NODE_ITSELF_MB;
  if (platform !== "linux") return [...program, String(wholeMb)] as unknown as ProgramArgv;
  // Linux counts every private writable page, including those outside the heap; elsewhere this limit has little effect.
  return ["/bin/sh", "-c", `ulimit -d ${wholeMb * 1024}; exec "$@"`, "lathe-parser", ...program];
}
