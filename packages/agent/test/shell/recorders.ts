// A folder of programs that only record how they were called, and bash run with nothing else on its PATH.

import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const PROGRAMS = ["p1", "p2", "p3", "p4"];
/** Real programs that run others. */
const WRAPPERS = ["env", "timeout", "nice", "nohup", "stdbuf", "xargs", "find", "sh", "bash"];

export interface Recorded {
  /** Name of the program and its arguments, for each call. */
  readonly calls: readonly (readonly string[])[];
  /** Files that exist afterwards and did not before. */
  readonly made: readonly string[];
}

export class Recorders {
  readonly #folder: string;
  readonly #path: string;
  readonly #log: string;
  readonly home: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#path = join(folder, "bin");
    this.#log = join(folder, "log");
    this.home = join(folder, "home");
    mkdirSync(this.#path, { recursive: true });
    for (const name of PROGRAMS) {
      const file = join(this.#path, name);
      // One write per call, because calls that run at the same time must not mix.
      writeFileSync(file, `#!/bin/sh\nprintf '%s\\0' "$#" "\${0##*/}" "$@" >> '${this.#log}'\n`);
      chmodSync(file, 0o755);
    }
    for (const name of WRAPPERS)
      symlinkSync(
        execFileSync("/bin/sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim(),
        join(this.#path, name),
      );
  }

  get cwd(): string {
    return join(this.#folder, "work");
  }

  /** Runs `command` in a fresh folder, and waits until everything that it started is over. */
  async run(command: string): Promise<Recorded> {
    for (const folder of [this.cwd, this.home]) rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(this.cwd, "sub"), { recursive: true });
    mkdirSync(this.home);
    for (const name of ["in.txt", "one.txt"]) writeFileSync(join(this.cwd, name), "a\nb\n");
    writeFileSync(this.#log, "");
    const env = { PATH: this.#path, HOME: this.home, FUNCNEST: "10", LC_ALL: "C" };
    // Limits on time and output end the loops that a mutated text may contain.
    const limited = `ulimit -f 200 -t 5; exec /bin/bash -c "$1"`;
    const child = spawn("/bin/bash", ["-c", limited, "limits", command], {
      cwd: this.cwd,
      env,
      stdio: "ignore",
      detached: true,
    });
    const timer = setTimeout(() => endGroup(child.pid), 3000);
    await once(child, "exit");
    clearTimeout(timer);
    await this.#settled(child.pid);
    return { calls: this.#calls(), made: made(this.cwd) };
  }

  /** Background jobs and process substitutions outlive the shell; they only have to record that they ran. */
  async #settled(group: number | undefined): Promise<void> {
    for (let round = 0; round < 100 && hasMembers(group); round++)
      await new Promise<void>((resolve) => execFile("/bin/sleep", ["0.01"], () => resolve()));
    endGroup(group);
  }

  #calls(): string[][] {
    const fields = readFileSync(this.#log, "utf8").split("\0");
    const calls: string[][] = [];
    for (let at = 0; at + 1 < fields.length; ) {
      const count = Number(fields[at]) + 1;
      calls.push(fields.slice(at + 1, at + 1 + count));
      at += 1 + count;
    }
    return calls;
  }
}

function made(folder: string): string[] {
  const names = [...readdirSync(folder), ...readdirSync(join(folder, "sub")).map((name) => `sub/${name}`)];
  return names.filter((name) => !["sub", "in.txt", "one.txt"].includes(name));
}

function hasMembers(group: number | undefined): boolean {
  return signalGroup(group, 0);
}

function endGroup(group: number | undefined): void {
  signalGroup(group, "SIGKILL");
}

function signalGroup(group: number | undefined, signal: NodeJS.Signals | 0): boolean {
  if (group === undefined) return false;
  try {
    return process.kill(-group, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw error;
  }
}
