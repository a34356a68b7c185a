// The line mode at a terminal: readline for typing, the printer for everything else.

import { createInterface, type Interface } from "node:readline";
import type { InputContent, SessionEvent } from "@lathe/agent";
import { EXIT, type ExitCode } from "../../cli/exit.ts";
import type { Machine } from "../../run/machine.ts";
import type { OpenSession } from "../../run/open-session.ts";
import { AboveLine } from "./above.ts";
import { type LineActions, LineController, type LineView } from "./controller.ts";
import { LinePrinter } from "./printer.ts";

const PROMPT = "› ";

interface Asked {
  readonly question: string;
  readonly settle: (answer: string | undefined) => void;
}

export class LineTerminal implements LineView {
  readonly #machine: Machine;
  readonly #printer: LinePrinter;
  #readline: Interface | undefined;
  #controller: LineController | undefined;
  /** The first one is on the screen; several calls may want an answer at once. */
  readonly #asked: Asked[] = [];
  /** Approvals that are asked about, by agent and call. */
  readonly #open = new Map<string, AbortController>();
  /** A prompt after the end would start reading again. */
  #over = false;
  #leave: (code: ExitCode) => void = () => {};
  readonly #left = new Promise<ExitCode>((resolve) => {
    this.#leave = resolve;
  });

  constructor(machine: Machine) {
    this.#machine = machine;
    const { stdout, env } = machine;
    const canErase = env["TERM"] !== "dumb";
    this.#printer = new LinePrinter(new AboveLine(stdout, () => (canErase ? this.#readline : undefined)), {
      color: stdout.isTTY === true && env["NO_COLOR"] === undefined,
      columns: () => stdout.columns ?? 80,
    });
  }

  /** Runs until the person leaves. */
  async run(open: OpenSession, actions: LineActions, first?: InputContent): Promise<ExitCode> {
    const { stdin, stdout, deps } = this.#machine;
    const reopen: LineActions["reopen"] = async (resume) => {
      const next = await actions.reopen(resume);
      this.#watch(next);
      return next;
    };
    const controller = new LineController(open, this, { ...actions, reopen }, deps.now);
    this.#controller = controller;
    this.#watch(open);
    const readline = createInterface({ input: stdin, output: stdout, prompt: PROMPT });
    this.#readline = readline;
    readline.on("line", (text) => this.#heard(text));
    readline.on("SIGINT", () => this.#interrupted());
    readline.once("close", () => {
      if (!this.#over) stdout.write("\n");
      this.leave(EXIT.done);
    });
    const ended = (): void => this.leave(EXIT.interrupted);
    for (const signal of ["SIGTERM", "SIGHUP"] as const) process.once(signal, ended);
    if (first === undefined) readline.prompt();
    else void this.#tell(() => controller.submit(first));
    const code = await this.#left;
    for (const signal of ["SIGTERM", "SIGHUP"] as const) process.off(signal, ended);
    readline.close();
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
      const asked: Asked = {
        question,
        settle: (answer) => {
          if (this.#asked.includes(asked)) this.#asked.splice(this.#asked.indexOf(asked), 1);
          signal?.removeEventListener("abort", giveUp);
          this.#showQuestion();
          resolve(answer);
        },
      };
      const giveUp = (): void => asked.settle(undefined);
      signal?.addEventListener("abort", giveUp, { once: true });
      this.#asked.push(asked);
      if (this.#asked.length === 1) this.#showQuestion();
    });
  }

  leave(code: ExitCode): void {
    this.#over = true;
    this.#leave(code);
  }

  #showQuestion(): void {
    const [next] = this.#asked;
    this.#readline?.setPrompt(next?.question ?? PROMPT);
    if (next && !this.#over) this.#readline?.prompt();
  }

  #heard(text: string): void {
    const [asked] = this.#asked;
    if (asked) asked.settle(text);
    else void this.#tell(() => this.#controller?.line(text));
  }

  async #tell(say: () => Promise<void> | undefined): Promise<void> {
    try {
      await say();
    } catch (error) {
      this.line((error as Error).message, "red");
    }
    this.#promptWhenIdle();
  }

  #promptWhenIdle(): void {
    if (!this.#over && this.#asked.length === 0 && this.#controller?.busy === false) this.#readline?.prompt();
  }

  /** What was being typed is given up, as in a shell, and the next words begin a line of their own. */
  #interrupted(): void {
    this.#readline?.write(null, { ctrl: true, name: "u" });
    this.#machine.stdout.write("\n");
    // Taken off together: settling one would show the next.
    for (const asked of this.#asked.splice(0)) asked.settle(undefined);
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
    this.#approvals(event);
  }

  /** Of the session and of the agents below it. */
  #approvals(event: SessionEvent): void {
    if (event.kind === "subagent_event") this.#approvals(event.data.event);
    if (event.kind !== "approval_request" && event.kind !== "approval_settled") return;
    const key = `${event.agent_id ?? ""} ${event.data.call_id}`;
    if (event.kind === "approval_settled") {
      this.#open.get(key)?.abort();
      this.#open.delete(key);
      return;
    }
    const settled = new AbortController();
    this.#open.set(key, settled);
    void this.#controller?.approve(event, settled.signal);
  }
}
