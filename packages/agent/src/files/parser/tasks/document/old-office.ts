// Files of old Word, Excel and PowerPoint, read by the programs of catdoc. Each runs as a child of this process, and so
// within its limits.

import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childProcess } from "../../../../world/process/child-process.ts";
import { CannotParse } from "../types.ts";
import { TextWriter } from "./text-writer.ts";

const PROGRAMS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  ".doc": ["catdoc", "-dutf-8", "-w"],
  ".xls": ["xls2csv", "-dutf-8", "-q0", "-c\t", "-b[next sheet]\n"],
  ".ppt": ["catppt", "-dutf-8"],
};

const MOST_OUTPUT = 32 << 20;

export function oldOfficeText(bytes: Uint8Array, extension: string): string {
  const argv = PROGRAMS[extension];
  if (!argv) throw new CannotParse("it is encrypted, or not a document of this kind");
  const [program, ...args] = argv;
  const { stdout, stderr, error, status } = runOn(bytes, program, args);
  if ((error as NodeJS.ErrnoException | undefined)?.code === "ENOENT")
    throw new CannotParse(
      `this needs the program catdoc, which is not installed (Debian: apt install catdoc); or save it as ${extension}x`,
    );
  if (error) throw new CannotParse(`${program} failed (${error.message})`);
  const [problem] = stderr.trim().split("\n");
  if (status !== 0 && stdout.trim() === "")
    throw new CannotParse(`${program} could not read it (${problem || `exit code ${status}`})`);
  const writer = new TextWriter();
  writer.paragraph(stdout.replace(/\[next sheet\]\s*$/, ""));
  const text = writer.text();
  if (text.trim() === "") throw new CannotParse("it contains no text");
  return text;
}

/** From a file that is already unlinked: the programs seek in it, and nothing is left if we are killed. */
function runOn(bytes: Uint8Array, program: string, args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "lathe-document-"));
  const path = join(folder, "document");
  let descriptor: number;
  try {
    writeFileSync(path, bytes, { mode: 0o600 });
    descriptor = openSync(path, "r");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  try {
    return childProcess().spawnSync(program, [...args, "/dev/stdin"], {
      stdio: [descriptor, "pipe", "pipe"],
      encoding: "utf8",
      maxBuffer: MOST_OUTPUT,
      killSignal: "SIGKILL",
    });
  } finally {
    closeSync(descriptor);
  }
}
