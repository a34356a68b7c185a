// One shell that stays open on the far side and runs one small script after another. Starting a program there (an ssh
// session, a `podman exec`) costs tens to hundreds of milliseconds; a script in a running shell costs a few.
//
// We write shell text to it: a function for each script, once, then calls of it. It answers with the script's raw
// output, a line with a token and the exit code, the script's stderr, and the token again. A token is random and used
// once, so no file content can be mistaken for it.

import { randomUUID } from "node:crypto";
import type { Clock } from "../process/clock.ts";
import type { OpenedProcess } from "../process/requests.ts";
import type { ScriptCall, ScriptResult } from "./shell-files.ts";
import { quoteShell } from "./shell-quote.ts";
import { EnvError } from "./types.ts";

/** Some shells read such text byte by byte, so longer input is faster through a separate program. */
const MOST_TEXT = 24 << 10;
/** A call that has waited this long gets a separate program, so that a slow script does not hold up the others. */
const PATIENCE_MS = 100;
/** Limit on what a login may print before it runs our shell. */
const MOST_NOISE = 1 << 20;

/** The script that transports run: a shell that reads its commands from its input. */
export const HELD_SHELL = "exec sh -s";

/** Why there is no result: the call needs a separate program, or it is unknown whether it ran. */
export type NoResult = "own-program" | "died" | "late" | "ended";

interface Held {
  readonly process: OpenedProcess;
  /** The shell's function for each script. */
  readonly functions: Map<string, string>;
}

/** Runs scripts in one shell, one at a time; starts it with the first script and again after it died. */
export class HeldShell {
  readonly #start: () => Promise<OpenedProcess>;
  readonly #clock: Clock;
  readonly #waiting: ((mine: boolean) => void)[] = [];
  #held: Held | undefined;
  #isBusy = false;
  #hasEnded = false;
  /** It never answered, so the far side does not support it. */
  #isUseless = false;

  constructor(start: () => Promise<OpenedProcess>, clock: Clock) {
    this.#start = start;
    this.#clock = clock;
  }

  async run(call: ScriptCall, timeoutMs: number): Promise<ScriptResult | NoResult> {
    const input = inputOf(call);
    if (input === undefined || this.#isUseless || !(await this.#turn())) return "own-program";
    let late = false;
    const cancel = this.#clock.after(timeoutMs, () => {
      late = true;
      void this.#held?.process.stop(0);
    });
    try {
      const held = await this.#ready(() => late);
      if (held === undefined) return late ? "late" : this.#hasEnded ? "ended" : "own-program";
      const result = await askShell(held, call, input);
      if (result !== undefined) return result;
      this.#held = undefined;
      await held.process.stop(0);
      return late ? "late" : this.#hasEnded ? "ended" : "died";
    } finally {
      cancel();
      this.#next();
    }
  }

  /** The shell may be used again afterwards. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    const held = this.#held;
    this.#held = undefined;
    this.#isUseless = false;
    await held?.process.stop();
  }

  /** False if the calls before it take too long. */
  #turn(): Promise<boolean> {
    if (!this.#isBusy) {
      this.#isBusy = true;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const mine = (turn: boolean) => {
        cancel();
        resolve(turn);
      };
      const cancel = this.#clock.after(PATIENCE_MS, () => {
        this.#waiting.splice(this.#waiting.indexOf(mine), 1);
        resolve(false);
      });
      this.#waiting.push(mine);
    });
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isBusy = false;
    else next(true);
  }

  async #ready(isLate: () => boolean): Promise<Held | undefined> {
    if (this.#held !== undefined) return this.#held;
    this.#hasEnded = false;
    const process = await this.#start();
    const held: Held = { process, functions: new Map() };
    this.#held = held;
    void process.exited.then(() => {
      if (this.#held === held) this.#held = undefined;
    });
    const token = randomUUID();
    const isWanted = () => !isLate() && !this.#hasEnded;
    const answer =
      isWanted() && (await tryWrite(process, `printf '%s\\n' ${token}\n`))
        ? await takeUntil(process, `${token}\n`, MOST_NOISE)
        : undefined;
    if (answer !== undefined) return held;
    this.#isUseless = isWanted();
    await process.stop(0);
    return undefined;
  }
}

/** The part of the call before its function, which feeds its input. Undefined if shell text cannot hold the input. */
function inputOf({ script, args, stdin }: ScriptCall): string | undefined {
  const size = args.reduce((sum, arg) => sum + Buffer.byteLength(arg), script.length + (stdin?.length ?? 0));
  if (size > MOST_TEXT || args.some((arg) => arg.includes("\0"))) return undefined;
  return stdin === undefined || stdin.length === 0 ? "" : `printf '%b' '${escapeBytes(stdin)}' | `;
}

/** The bytes as an argument of `printf %b`, a builtin of every shell. */
function escapeBytes(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) {
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c;
    text += isPlain ? String.fromCharCode(byte) : `\\0${byte.toString(8).padStart(3, "0")}`;
  }
  return text;
}

/** Undefined if the shell died before it answered. */
async function askShell(held: Held, { script, args }: ScriptCall, input: string): Promise<ScriptResult | undefined> {
  const token = randomUUID();
  let name = held.functions.get(script);
  let text = "";
  if (name === undefined) {
    name = `lathe_${held.functions.size}`;
    held.functions.set(script, name);
    // The body is a subshell, so variables, directory changes and exits of a script stay inside it.
    text = `${name}() (\n${script}\n)\n`;
  }
  const call = [name, ...args.map(quoteShell)].join(" ");
  // Only stderr is captured, which is short; the output is streamed to the third descriptor, our pipe.
  text += `{ said=$(${input}${call}${input === "" ? " </dev/null" : ""} 2>&1 >&3 3>&-); code=$?; } 3>&1\n`;
  text += `printf '%s %s\\n%s%s\\n' ${token} "$code" "$said" ${token}\n`;
  if (!(await tryWrite(held.process, text))) return undefined;
  const stdout = await takeUntil(held.process, `${token} `);
  const code = await takeUntil(held.process, "\n");
  const stderr = await takeUntil(held.process, `${token}\n`);
  if (stdout === undefined || code === undefined || stderr === undefined) return undefined;
  return { exitCode: Number(code.toString("latin1")), stdout, stderr: stderr.toString("utf8") };
}

/** False if the shell accepts no more input. */
async function tryWrite(process: OpenedProcess, text: string): Promise<boolean> {
  try {
    await process.write(text);
    return true;
  } catch (error) {
    if (error instanceof EnvError) return false;
    throw error;
  }
}

/**
 * Returns what comes before the mark and consumes the mark; undefined if the output ends first or is longer than
 * `most`.
 */
async function takeUntil(process: OpenedProcess, mark: string, most = Infinity): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  // The end of the output so far, because a mark may be split between chunks.
  let tail = Buffer.alloc(0);
  for await (const bytes of process.stdout) {
    const chunk = Buffer.from(bytes);
    const seen = Buffer.concat([tail, chunk]);
    const at = seen.indexOf(mark);
    chunks.push(chunk);
    size += chunk.length;
    if (at !== -1) {
      const after = seen.length - at - mark.length;
      if (after > 0) process.stdout.unread(seen.subarray(seen.length - after));
      return Buffer.concat(chunks).subarray(0, size - after - mark.length);
    }
    if (size > most) return undefined;
    tail = seen.subarray(Math.max(0, seen.length - mark.length + 1));
  }
  return undefined;
}
