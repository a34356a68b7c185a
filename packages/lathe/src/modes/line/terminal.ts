// The line mode at a terminal: readline for typing, the printer for everything else.

import { createInterface, type Interface } from "node:readline";
import { type InputContent, type Session, visibleText } from "@lathe/agent";
import type { CommandRegistry } from "../../conversation/commands/command.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import type { Machine } from "../../machine/machine.ts";
import { EXIT, type ExitCode } from "../../usage/exit.ts";
import { LineController, type LineView } from "./controller.ts";
import { InputEndings } from "./input-endings.ts";
import { LinePrinter, type Style } from "./printer.ts";
import { ScreenAbovePrompt, type TypedLine } from "./screen-above-prompt.ts";
import { BRACKETS, TypedInput, type Typist } from "./typed-input.ts";

const PROMPT = "› ";
/** Before the further lines of what is sent together. */
const MORE = "… ";
const CTRL_C = "\x03";

interface PendingQuestion {
  readonly question: string;
  /** Shows what the question is about. */
  readonly before?: (() => void) | undefined;
  readonly settle: (answer: string | undefined) => void;
}

export class LineTerminal implements LineView, Typist {
  readonly #machine: Machine;
  readonly #screen: ScreenAbovePrompt;
  readonly #printer: LinePrinter;
  /** Whether text on the screen can be erased. */
  readonly #canErase: boolean;
  #readline: Interface | undefined;
  #controller: LineController | undefined;
  /** The first one is on the screen; several calls may want an answer at once. */
  readonly #pending: PendingQuestion[] = [];
  /** Lines that ended with a backslash: the next one belongs to them. */
  #begun = "";
  /** What was being typed when a question appeared; it is not the answer. */
  #setAside = "";
  /** A prompt after the end would start reading again. */
  #over = false;
  #leave: (code: ExitCode) => void = () => {};
  readonly #left = new Promise<ExitCode>((resolve) => {
    this.#leave = resolve;
  });

  constructor(machine: Machine) {
    this.#machine = machine;
    const { terminal: stdout, env } = machine;
    this.#canErase = env["TERM"] !== "dumb";
    this.#screen = new ScreenAbovePrompt(stdout, () => (this.#canErase ? this.#typed : undefined));
    this.#printer = new LinePrinter(this.#screen, {
      color: stdout.isTTY === true && env["NO_COLOR"] === undefined,
      columns: () => this.columns,
    });
  }

  get columns(): number {
    return this.#machine.terminal.columns || 80;
  }

  get #typed(): (Interface & TypedLine) | undefined {
    return this.#over ? undefined : this.#readline;
  }

  /** Runs until the person leaves. */
  async run(
    conversation: Conversation,
    commands: CommandRegistry,
    prompts: readonly InputContent[],
  ): Promise<ExitCode> {
    const { stdin, terminal: stdout, deps } = this.#machine;
    const controller = new LineController(conversation, commands, this, deps.now);
    this.#controller = controller;
    const input = new TypedInput(stdin, this.#canErase ? this : undefined);
    if (this.#canErase) stdout.write(BRACKETS.on);
    const listeners = stdout.listeners("resize");
    const readline = createInterface({ input, output: stdout, prompt: PROMPT });
    this.#readline = readline;
    // Readline would draw its prompt over the output.
    for (const listener of stdout.listeners("resize"))
      if (!listeners.includes(listener)) stdout.off("resize", listener as () => void);
    const resized = (): void => this.#screen.resized();
    stdout.on("resize", resized);
    readline.on("line", (line) => {
      this.#screen.sent(line);
      this.#heard(input.expand(line));
    });
    // An answer to a question does not belong in the history.
    readline.on("history", (history) => this.#pending.length > 0 && history.shift());
    readline.on("SIGINT", () => this.#interrupted());
    readline.once("close", () => {
      if (!this.#canErase && !this.#over) stdout.write("\n");
      this.leave(EXIT.done);
    });
    const ended = (): void => this.leave(EXIT.interrupted);
    for (const signal of ["SIGTERM", "SIGHUP"] as const) process.once(signal, ended);
    const [first, ...later] = prompts;
    if (first === undefined && conversation.wasCutOff) void this.#tell(() => controller.offerToContinue());
    else if (first === undefined) this.#prompt();
    else void this.#tell(() => controller.submit(first, later));
    const code = await this.#left;
    for (const signal of ["SIGTERM", "SIGHUP"] as const) process.off(signal, ended);
    stdout.off("resize", resized);
    readline.close();
    input.close();
    if (this.#canErase) stdout.write(BRACKETS.off);
    return code;
  }

  get controller(): LineController | undefined {
    return this.#controller;
  }

  line(text: string, style?: Style): void {
    this.#printer.line(text, style);
  }

  ask(question: string, signal?: AbortSignal, before?: () => void): Promise<string | undefined> {
    return new Promise((resolve) => {
      const pending: PendingQuestion = {
        question,
        before,
        settle: (answer) => {
          const wasShown = this.#pending[0] === pending;
          if (this.#pending.includes(pending)) this.#pending.splice(this.#pending.indexOf(pending), 1);
          signal?.removeEventListener("abort", giveUp);
          if (wasShown) this.#showQuestion();
          resolve(answer);
        },
      };
      const giveUp = (): void => pending.settle(undefined);
      signal?.addEventListener("abort", giveUp, { once: true });
      this.#pending.push(pending);
      if (this.#pending.length === 1) this.#showQuestion();
    });
  }

  /** The first key typed while the agent works opens a row of its own. */
  begin(key: string): void {
    if (!this.#over && !this.#screen.isOpen && key !== CTRL_C) this.#screen.open();
  }

  insert(text: string): void {
    const typed = this.#typed;
    if (!typed) return;
    const { line, cursor } = typed;
    const inserted = `${line.slice(0, cursor)}${text}${line.slice(cursor)}`;
    Object.assign(typed, { line: inserted, cursor: cursor + text.length });
    typed.prompt(true);
  }

  /** A text of several lines does not fit the line: it is shown instead. */
  prefill(text: string): void {
    if (text.includes("\n")) this.line(`Your message was:\n${text}`, "dim");
    else this.#replaceTyped(text);
  }

  leave(code: ExitCode): void {
    if (!this.#over) this.#giveUpTyping();
    this.#over = true;
    this.#leave(code);
  }

  /** The next question, or what was being typed before the first one. */
  #showQuestion(): void {
    if (this.#over || !this.#readline) return;
    const [next] = this.#pending;
    if (next && this.#readline.getPrompt() === this.#ownPrompt) this.#setAside = this.#replaceTyped("");
    this.#readline.setPrompt(next ? visibleText(next.question).replaceAll("\n", " ") : this.#ownPrompt);
    if (next) {
      next.before?.();
      this.#prompt();
    } else if (this.#setAside !== "") {
      this.#replaceTyped(this.#setAside);
      this.#setAside = "";
      this.#prompt();
    }
  }

  #prompt(): void {
    if (this.#canErase) this.#screen.open();
    else this.#readline?.prompt(true);
  }

  /** Returns the text that was there. */
  #replaceTyped(text: string): string {
    const typed = this.#typed;
    const before = typed?.line ?? "";
    if (typed) Object.assign(typed, { line: text, cursor: text.length });
    return before;
  }

  #heard(text: string): void {
    const [pending] = this.#pending;
    if (pending) pending.settle(text);
    else this.#say(text);
  }

  #say(text: string): void {
    const said = `${this.#begun}${text.replace(/\\$/, "")}`;
    this.#begun = text.endsWith("\\") ? `${said}\n` : "";
    this.#readline?.setPrompt(this.#ownPrompt);
    if (this.#begun !== "") this.#prompt();
    else void this.#tell(() => this.#controller?.line(said));
  }

  get #ownPrompt(): string {
    return this.#begun === "" ? PROMPT : MORE;
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
    if (!this.#over && this.#pending.length === 0 && this.#controller?.busy === false) this.#prompt();
  }

  /** Discards what was being typed, as in a shell; the next input begins a new line. */
  #interrupted(): void {
    if (!this.#canErase) this.#machine.terminal.write("\n");
    this.#giveUpTyping();
    // Taken off together: settling one would show the next.
    for (const pending of this.#pending.splice(0)) pending.settle(undefined);
    this.#readline?.setPrompt(this.#ownPrompt);
    this.#controller?.interrupt();
    this.#promptWhenIdle();
  }

  #giveUpTyping(): void {
    this.#printer.fresh();
    this.#screen.end();
    this.#replaceTyped("");
    this.#begun = "";
    this.#setAside = "";
  }

  async showPast({ usage, journal, hasUnfinishedInput }: Session): Promise<void> {
    if (usage.turns === 0 && !hasUnfinishedInput) return;
    const { recall } = await import("./recall.ts");
    recall(journal, (text) => this.line(text, "dim"));
  }

  /** Shows what happens in a session, until it is closed. `kept`: it is on disk. */
  watch(session: Session, kept: boolean): void {
    const endings = new InputEndings(kept);
    void (async () => {
      for await (const event of session.events()) {
        if (!endings.covers(event)) this.#printer.event(event);
        const ending = endings.after(event);
        if (ending !== undefined) this.#printer.line(ending, "red");
      }
    })();
  }
}
