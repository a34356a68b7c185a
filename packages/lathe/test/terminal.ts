// A real terminal: a shell on a pseudo-terminal of its own, made by script(1).

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { Sandbox } from "./command.ts";

export const hasScript = spawnSync("script", ["--version"]).status === 0;

export class Terminal {
  readonly #shell;
  #output = "";
  #changed: () => void = () => {};

  constructor(box: Sandbox, env: Record<string, string> = {}) {
    this.#shell = spawn("script", ["-qfc", "sh", "/dev/null"], {
      cwd: box.dir,
      env: { ...box.env, TERM: "dumb", ...env },
    });
    this.#shell.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      this.#output += chunk;
      this.#changed();
    });
  }

  /** Types a command; resolves with what it printed and its exit code. */
  async run(command: string): Promise<{ readonly output: string; readonly code: number }> {
    const [before = "", code = ""] = await this.#until(this.type(command), /ended-(\d+)\r?\n/);
    return { output: before, code: Number(code) };
  }

  /** Types a command and does not wait for its end. Gives where its output begins. */
  type(command: string): number {
    const start = this.#output.length;
    // Spelled so that the echo of the line is not mistaken for the end of the command.
    this.#shell.stdin.write(`${command}; echo "en""ded-$?"\n`);
    return start;
  }

  /** Waits for a text after `start`, then types. */
  async reply(
    start: number,
    question: RegExp,
    answer: string,
  ): Promise<{ readonly output: string; readonly code: number }> {
    await this.#until(start, question);
    this.#shell.stdin.write(answer);
    const [before = "", code = ""] = await this.#until(start, /ended-(\d+)\r?\n/);
    return { output: before, code: Number(code) };
  }

  /** Keys, as they are typed. */
  keys(text: string): void {
    this.#shell.stdin.write(text);
  }

  /** Waits for a text after `start`; gives where it ends. */
  async see(start: number, pattern: RegExp): Promise<number> {
    const [before = "", ...groups] = await this.#until(start, new RegExp(`(${pattern.source})`, pattern.flags));
    return start + before.length + (groups[0]?.length ?? 0);
  }

  text(start: number): string {
    return this.#output.slice(start);
  }

  async close(): Promise<void> {
    const closed = once(this.#shell, "close");
    this.#shell.stdin.end("exit\n");
    await closed;
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
