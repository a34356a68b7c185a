// The line mode at a terminal: readline for typing, the printer for everything else. Output while a person types goes above
// the line being typed.

import { createInterface, type Interface } from "node:readline";
import type { SessionEvent } from "@lathe/agent";
import type { ExitCode } from "../../cli/exit.ts";
import type { Machine } from "../../run/machine.ts";
import type { OpenSession } from "../../run/open-session.ts";
import { type LineActions, LineController, type LineView } from "./controller.ts";
import { LinePrinter, summary } from "./printer.ts";

const PROMPT = "› ";

export class LineTerminal implements LineView {
  readonly #machine: Machine;
  readonly #readline: Interface;
  readonly #printer: LinePrinter;
  #controller: LineController | undefined;
  #pending: { resolve(text: string | undefined): void } | undefined;
  /** A prompt after the end would start reading again. */
  #over = false;
  #leave: (code: ExitCode) => void = () => {};
  readonly #left = new Promise<ExitCode>((resolve) => {
    this.#leave = resolve;
  });

  constructor(machine: Machine) {
    this.#machine = machine;
    const { stdin, stdout } = machine;
    this.#readline = createInterface({ input: stdin, output: stdout, prompt: PROMPT, terminal: stdout.isTTY === true });
    this.#printer = new LinePrinter(stdout, {
      color: stdout.isTTY === true && machine.env["NO_COLOR"] === undefined,
      columns: () => stdout.columns ?? 80,
    });
  }

  /** Runs until the person leaves. */
  async run(open: OpenSession, actions: LineActions, first?: string): Promise<ExitCode> {
    const reopen: LineActions["reopen"] = async (resume) => {
      const next = await actions.reopen(resume);
      this.#watch(next);
      return next;
    };
    const controller = new LineController(open, this, { ...actions, reopen }, this.#machine.deps.now);
    this.#controller = controller;
    this.#watch(open);
    this.#readline.on("line", (text) => this.#heard(text));
    this.#readline.on("SIGINT", () => this.#interrupted());
    this.#readline.once("close", () => this.leave(0));
    if (first !== undefined) void this.#say(first);
    else this.#readline.prompt();
    const code = await this.#left;
    this.#readline.close();
    return code;
  }

  get controller(): LineController | undefined {
    return this.#controller;
  }

  line(text: string, style?: "dim" | "bold" | "red" | "yellow"): void {
    this.#printer.line(text, style);
  }

  ask(question: string, signal?: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve) => {
      const done = (text: string | undefined): void => {
        this.#pending = undefined;
        this.#readline.setPrompt(PROMPT);
        signal?.removeEventListener("abort", giveUp);
        resolve(text);
      };
      const giveUp = (): void => done(undefined);
      signal?.addEventListener("abort", giveUp, { once: true });
      this.#pending = { resolve: done };
      this.#readline.setPrompt(question);
      this.#readline.prompt();
    });
  }

  leave(code: ExitCode): void {
    this.#over = true;
    this.#leave(code);
  }

  #heard(text: string): void {
    if (this.#pending) this.#pending.resolve(text);
    else void this.#say(text);
  }

  async #say(text: string): Promise<void> {
    try {
      await this.#controller?.line(text);
    } catch (error) {
      this.line((error as Error).message, "red");
    }
    if (!this.#pending) this.#promptWhenIdle();
  }

  #promptWhenIdle(): void {
    if (!this.#over && this.#controller?.busy === false) this.#readline.prompt();
  }

  #interrupted(): void {
    if (this.#pending) this.#pending.resolve(undefined);
    this.#controller?.interrupt();
    this.#promptWhenIdle();
  }

  #watch(open: OpenSession): void {
    void (async () => {
      for await (const event of open.session.events()) this.#event(event);
    })();
  }

  #event(event: SessionEvent): void {
    this.#printer.event(event);
    if (event.kind === "approval_request") {
      void this.#controller?.approve(
        event.data.call_id,
        event.data.tool_name,
        summary(event.data.tool_name, event.data.arguments),
      );
    }
  }
}
