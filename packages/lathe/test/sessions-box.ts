// Runs a subcommand inside the test with its own home. For a real terminal or process, see command.ts.

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { defaultDeps } from "@lathe/llm";
import { runSubcommand } from "../src/cli/commands/index.ts";
import type { Machine } from "../src/platform/machine/machine.ts";
import type { Subcommand } from "../src/platform/options/option-table.ts";
import { CliError } from "../src/platform/usage/exit.ts";
import type { Finished } from "./command.ts";
import { type SessionMaker, sessionMaker } from "./sessions-fixture.ts";

export interface Box {
  /** Working directory. */
  readonly dir: string;
  /** LATHE_HOME. */
  readonly home: string;
  readonly maker: SessionMaker;
  run(command: Subcommand, ...args: readonly string[]): Promise<Finished>;
  /** The same, with a terminal of this many columns behind stdout. */
  inTerminal(columns: number, command: Subcommand, ...args: readonly string[]): Promise<Finished>;
  machine(more?: Partial<Machine>): Machine;
  remove(): void;
}

export function makeBox(env: Record<string, string> = {}): Box {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "lathe-box-")));
  const dir = join(root, "project");
  const home = join(root, "home");
  mkdirSync(dir);
  mkdirSync(home);
  const machine = (more: Partial<Machine> = {}): Machine => ({
    env: { PATH: process.env["PATH"] ?? "", LATHE_HOME: home, ...env },
    cwd: dir,
    userHome: root,
    pid: process.pid,
    host: hostname(),
    deps: defaultDeps(),
    get terminal() {
      return this.stdout;
    },
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    ...more,
  });
  const run = async (out: Text, command: Subcommand, args: readonly string[]): Promise<Finished> => {
    const err = new Text();
    const here = machine({
      stdout: out as unknown as NodeJS.WriteStream,
      stderr: err as unknown as NodeJS.WriteStream,
    });
    const code = await runSubcommand(command, args, here).catch((error: unknown) => {
      if (!(error instanceof CliError)) throw error;
      err.write(`lathe: ${error.message}\n`);
      return error.exitCode;
    });
    return { code, stdout: out.text, stderr: err.text };
  };
  return {
    dir,
    home,
    maker: sessionMaker(home, dir),
    machine,
    run: (command, ...args) => run(new Text(), command, args),
    inTerminal: (columns, command, ...args) => run(Object.assign(new Text(), { isTTY: true, columns }), command, args),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

class Text extends Writable {
  text = "";
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString("utf8");
    done();
  }
}
