// The machine for a command inside the test: its own directory, environment and streams, nothing of the test's process.

import { EventEmitter, once } from "node:events";
import { hostname } from "node:os";
import { PassThrough, Readable, Writable } from "node:stream";
import { defaultDeps } from "@lathe/llm";
import { runCommand } from "../src/cli/main.ts";
import { announceFirstRequest } from "../src/platform/launcher/first-request.ts";
import type { Machine } from "../src/platform/machine/machine.ts";
import type { Finished } from "./command.ts";

export interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array | undefined;
  /** Stdout and stderr that fail; by default they collect the text. */
  readonly stdout?: Text;
  readonly stderr?: Text;
}

/** Runs the command from sources, to its end. */
export async function runInside(args: readonly string[], place: Place): Promise<Finished> {
  const { stdin = "", stdout = new Text(), stderr = new Text() } = place;
  const input = Readable.from(stdin.length === 0 ? [] : [Buffer.from(stdin)]);
  const code = await runCommand(args, machineOf(place, input, stdout, stderr));
  announceFirstRequest(); // what waits for one in vain must not wait for that of the next run
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** The command inside the test, with the interface of a child process: pipes, its end, its exit code. */
export class InsideCommand extends EventEmitter<{ close: [] }> {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  exitCode: number | null = null;

  constructor(args: readonly string[], place: Omit<Place, "stdin">) {
    super();
    void runCommand(args, machineOf(place, this.stdin, this.stdout, this.stderr)).then((code) => {
      announceFirstRequest();
      this.exitCode = code;
      this.stdout.end();
      this.stderr.end();
      this.emit("close");
    });
  }

  /** Ends its input, as a host that disconnects does; the command then stops its work. */
  async leave(): Promise<void> {
    this.stdin.end();
    this.stdout.resume();
    if (this.exitCode === null) await once(this, "close");
  }
}

export function machineOf(
  { cwd, env }: Omit<Place, "stdin">,
  stdin: Readable,
  stdout: Writable,
  stderr: Writable,
): Machine {
  const out = stdout as unknown as NodeJS.WriteStream;
  return {
    env,
    cwd,
    userHome: env["HOME"] ?? cwd,
    pid: process.pid,
    host: hostname(),
    deps: defaultDeps({ env }),
    stdin: stdin as unknown as NodeJS.ReadStream,
    isPiped: true,
    stdout: out,
    stderr: stderr as unknown as NodeJS.WriteStream,
    terminal: out,
  };
}

export class Text extends Writable {
  readonly #pieces: Buffer[] = [];
  get text(): string {
    return Buffer.concat(this.#pieces).toString("utf8");
  }
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#pieces.push(chunk);
    done();
  }
}
