// A real terminal: a shell on its own pseudo-terminal, created by script(1); and one that only has the command, inside
// the test.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { Sandbox } from "./command.ts";
import { insideLine, type Line } from "./terminal/line.ts";

export const hasScript = spawnSync("script", ["--version"]).status === 0;

abstract class Transcript {
  #output = "";
  #changed: () => void = () => {};

  /** Types keys. */
  abstract keys(text: string): void;
  /** Starts a command; the transcript then contains its end. */
  protected abstract begin(command: string): void;

  protected add(text: string): void {
    this.#output += text;
    this.#changed();
  }

  /** Types a command; resolves with what it printed and its exit code. */
  async run(command: string): Promise<{ readonly output: string; readonly code: number }> {
    const [before = "", code = ""] = await this.#until(this.type(command), /ended-(\d+)\r?\n/);
    return { output: before, code: Number(code) };
  }

  /** Types a command without waiting for its end. Returns where its output begins. */
  type(command: string): number {
    const start = this.#output.length;
    this.begin(command);
    return start;
  }

  /** Waits for a text after `start`, then types. */
  async reply(
    start: number,
    question: RegExp,
    answer: string,
  ): Promise<{ readonly output: string; readonly code: number }> {
    await this.#until(start, question);
    this.keys(answer);
    const [before = "", code = ""] = await this.#until(start, /ended-(\d+)\r?\n/);
    return { output: before, code: Number(code) };
  }

  /** Waits for a text after `start`; returns where it ends. */
  async see(start: number, pattern: RegExp): Promise<number> {
    const [before = "", ...groups] = await this.#until(start, new RegExp(`(${pattern.source})`, pattern.flags));
    return start + before.length + (groups[0]?.length ?? 0);
  }

  text(start: number): string {
    return this.#output.slice(start);
  }

  async #until(start: number, pattern: RegExp): Promise<string[]> {
    for (;;) {
      const text = this.#output.slice(start);
      const found = pattern.exec(text);
      if (found) return [text.slice(0, found.index), ...found.slice(1)];
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }
}

export class Terminal extends Transcript {
  readonly #shell;

  constructor(box: Sandbox, env: Record<string, string> = {}) {
    super();
    this.#shell = spawn("script", ["-qfc", "sh", "/dev/null"], {
      cwd: box.dir,
      env: { ...box.env, TERM: "dumb", ...env },
    });
    this.#shell.stdout.setEncoding("utf8").on("data", (chunk: string) => this.add(chunk));
  }

  keys(text: string): void {
    this.#shell.stdin.write(text);
  }

  protected begin(command: string): void {
    // Spelled so that the echo of the line is not taken for the end of the command.
    this.#shell.stdin.write(`${command}; echo "en""ded-$?"\n`);
  }

  async close(): Promise<void> {
    const closed = once(this.#shell, "close");
    this.#shell.stdin.end("exit\n");
    await closed;
  }
}

/** Supports one command, `lathe`, without quotes inside words. */
export class InsideTerminal extends Transcript {
  readonly #cwd: string;
  readonly #env: Record<string, string>;
  #line: Line | undefined;

  constructor(box: Sandbox, env: Record<string, string> = {}) {
    super();
    this.#cwd = box.dir;
    this.#env = { ...box.env, TERM: "dumb", ...env };
  }

  keys(text: string): void {
    this.#line?.write(text);
  }

  protected begin(command: string): void {
    const [, ...args] = (command.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ""));
    const place = { columns: 80, rows: 24, cwd: this.#cwd, env: this.#env };
    this.#line = insideLine(args, place, (text) => this.add(text));
    void this.#line.exited.then((code) => this.add(`ended-${code}\r\n`));
  }

  async close(): Promise<void> {
    this.#line?.end();
    await this.#line?.exited;
  }
}
