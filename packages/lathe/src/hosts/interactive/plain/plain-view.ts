// The host as plain lines, for dumb terminals and screen readers: text is only appended, nothing moves, and what
// happens is said in words. The user answers questions in words too.

import type { Answer, Question } from "@lathe/agent";
import type { PlanVerdict } from "@lathe/agent/tools";
import { type Key, KeyDecoder, visible } from "@lathe/tui";
import type { ApprovalReply } from "../../../conversation/approvals.ts";
import type { OpenSession } from "../../../conversation/session-contract.ts";
import type { BangCommand } from "../../../conversation/user-shell.ts";
import type { Offers, Width } from "../../../found/permissions/offers.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { EXIT, type ExitCode } from "../../../platform/usage/exit.ts";
import type { Controller } from "../controller.ts";
import type { HoldsFrom } from "../held-keys.ts";
import type { HostView, LineStyle, UserCommandView } from "../host-view.ts";
import { InputEndings } from "../input-endings.ts";
import { answerTo, isNo, isYes, noSuchOptionIn, replyOf, widthOf, wordsPrompt } from "./answers.ts";
import { type AskedCall, approvalText, type StyledLine } from "./approval-text.ts";
import { LinePrinter } from "./printer.ts";
import { TypedLine } from "./typed-line.ts";
import { userCommandLines } from "./user-command.ts";

const PROMPT = "› ";
/** Prompt for the further lines of a message. */
const MORE = "… ";
const BRACKETS = { on: "\x1b[?2004h", off: "\x1b[?2004l" };

interface PendingQuestion {
  readonly question: string;
  /** Shows what the question is about. */
  readonly before?: (() => void) | undefined;
  readonly isSecret?: boolean;
  readonly settle: (answer: string | undefined) => void;
}

const isOffered = (width: Width | undefined, { pattern, tool }: Offers): boolean =>
  width === undefined || (width === "tool" ? tool : pattern !== undefined);

/** Handles what the user at the terminal types. */
export interface Speaker<C> {
  readonly isBusy: boolean;
  readonly commands: { parse(line: string): C | undefined };
  say(text: string): Promise<void>;
  submit(text: string): Promise<void>;
  command(command: C): Promise<void>;
  stop(): void;
  interrupt(): void;
  leave(code: ExitCode): Promise<void>;
}
type ParsedCommand = NonNullable<ReturnType<Controller["commands"]["parse"]>>;

export class PlainView<S extends Speaker<ParsedCommand> = Controller> implements HostView {
  readonly #machine: Machine;
  readonly #typed: TypedLine;
  readonly #printer: LinePrinter;
  readonly #decoder = new KeyDecoder();
  #escape: { cancel(): void } | undefined;
  #controller: S | undefined;
  /** The first one is on the screen; several calls may ask at once. */
  readonly #pending: PendingQuestion[] = [];
  /** Lines that ended with a backslash and are continued. */
  #begun = "";
  /** What was being typed when a question appeared; it is not the answer. */
  #setAside = "";
  #isOver = false;
  #leave: (code: ExitCode) => void = () => {};
  readonly left = new Promise<ExitCode>((resolve) => {
    this.#leave = resolve;
  });

  constructor(machine: Machine) {
    this.#machine = machine;
    const { terminal, env, deps } = machine;
    const write = (text: string): void => void terminal.write(text);
    this.#typed = new TypedLine({ write, setTimer: deps.setTimer });
    this.#printer = new LinePrinter(
      { write: (text) => this.#typed.print(text) },
      { color: env["NO_COLOR"] === undefined && this.#isTerminal, columns: () => this.columns, inWords: true },
    );
  }

  get columns(): number {
    return this.#machine.terminal.columns || 80;
  }

  get isOver(): boolean {
    return this.#isOver;
  }
  /** Prints above the line that is being typed. */
  get printer(): LinePrinter {
    return this.#printer;
  }

  /** Takes keys from here on; what is sent before the controller exists waits for it. */
  start(): void {
    const { stdin } = this.#machine;
    stdin.setRawMode(true);
    stdin.setEncoding("utf8").on("data", this.#read).resume();
    stdin.once("end", () => this.leave(EXIT.done));
    if (this.#isTerminal) this.#machine.terminal.write(BRACKETS.on);
  }

  stop(): void {
    const { stdin, terminal } = this.#machine;
    if (this.#isTerminal) terminal.write(BRACKETS.off);
    stdin.off("data", this.#read).pause();
    stdin.setRawMode(false);
  }

  /** Otherwise control sequences would end up in the text, such as the log of `lathe | tee log`. */
  get #isTerminal(): boolean {
    const { env, terminal } = this.#machine;
    return env["TERM"] !== "dumb" && terminal.isTTY;
  }

  /** The user may type from here on. */
  open(controller: S): void {
    this.#controller = controller;
  }

  userCommand(bang: BangCommand): UserCommandView {
    return userCommandLines(bang, (text, style) => this.line(text, style));
  }

  line(text: string, style?: LineStyle): void {
    // Blank lines between blocks help the eye, but a screen reader would read them out.
    this.#printer.line(text.replace(/\n+$/, ""), style);
  }

  /** Lines are read one at a time, so each goes to the next question. */
  dialogue<T>(_from: HoldsFrom, work: () => Promise<T>): Promise<T> {
    return work();
  }

  hint(text: string): void {
    this.line(text, "dim");
  }

  ask(question: string, signal?: AbortSignal, before?: () => void): Promise<string | undefined> {
    return this.#askNext({ question: `${question.trimEnd()} `, before }, signal);
  }

  askSecret(question: string): Promise<string | undefined> {
    return this.#askNext({ question: `${question} (hidden): `, isSecret: true });
  }

  #askNext(parts: Omit<PendingQuestion, "settle">, signal?: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve) => {
      const pending: PendingQuestion = {
        ...parts,
        settle: (answer) => {
          const wasShown = this.#pending[0] === pending;
          if (this.#pending.includes(pending)) this.#pending.splice(this.#pending.indexOf(pending), 1);
          signal?.removeEventListener("abort", giveUp);
          if (wasShown) this.#showNext();
          resolve(answer);
        },
      };
      const giveUp = (): void => {
        // What was typed was meant for this question.
        if (this.#pending[0] === pending) this.#typed.close();
        pending.settle(undefined);
      };
      signal?.addEventListener("abort", giveUp, { once: true });
      if (signal?.aborted) return giveUp();
      this.#pending.push(pending);
      if (this.#pending.length === 1) this.#showQuestion(pending);
    });
  }

  confirm(question: string): Promise<boolean | string | undefined> {
    return this.offer(question);
  }

  /** Each answer is a whole line: anything besides yes and no is what to do instead. */
  async offer(question: string): Promise<boolean | string | undefined> {
    const said = (await this.ask(`${question} [Y/n, or what to do instead] `))?.trim();
    return said === undefined || isNo(said) ? said && false : isYes(said) || said === "" ? true : said;
  }

  approve = async (question: AskedCall, signal: AbortSignal): Promise<ApprovalReply | undefined> => {
    const whose = question.agentId === undefined ? "" : ` (agent ${question.agentId})`;
    const text = approvalText(question, whose, this.columns);
    let shown: readonly StyledLine[] = text.above;
    for (;;) {
      const show = (): void => {
        for (const { text: line, style } of shown) this.line(line, style);
      };
      const said = (await this.#askAbout(text.question, signal, show)) ?? "";
      if (signal.aborted) return undefined;
      if (/^v(iew)?$/i.test(said) && text.rest.length > 0) shown = text.rest;
      else if (!isOffered(widthOf(said), question.offers))
        this.line("Calls like this one must be approved each time. Answer y or n.", "yellow");
      else return replyOf(said);
    }
  };

  answer = async (questions: readonly Question[], signal: AbortSignal): Promise<readonly Answer[] | undefined> => {
    const answers: Answer[] = [];
    for (const question of questions) {
      const show = (): void => {
        if (question.about !== undefined) this.line(question.about);
        this.line(question.question, "bold");
        for (const [i, { label }] of question.options.entries())
          this.line(`  ${i + 1}. ${label}${i === question.recommended ? " (recommended)" : ""}`);
      };
      const how = question.multi ? "Numbers (1,3) or your own words: " : "Number or your own words: ";
      let said = await this.#askAbout(how, signal, show);
      for (let slip = noSuchOptionIn(question, said); slip !== undefined; slip = noSuchOptionIn(question, said)) {
        this.line(slip, "yellow");
        said = await this.#askAbout(how, signal);
      }
      if (!said) return undefined;
      const answer = answerTo(question, said);
      const words = wordsPrompt(question, answer);
      const custom = words === undefined ? answer.custom : await this.#askAbout(`${words} `, signal);
      if (words !== undefined && !custom) return undefined;
      answers.push({ ...answer, custom });
    }
    return answers;
  };

  decidePlan = async (plan: string, signal: AbortSignal): Promise<PlanVerdict | undefined> => {
    const said = await this.#askAbout("Carry out this plan? [y/N, or what to change] ", signal, () => this.line(plan));
    if (signal.aborted) return undefined;
    if (said !== undefined && isYes(said)) return { approved: true };
    return { approved: false, ...(said === undefined || said === "" || isNo(said) ? {} : { feedback: said }) };
  };

  submit(text: string): void {
    void this.tell((controller) => controller.submit(text));
  }

  /** A text of several lines does not fit the input line, so it is printed instead. */
  prefill(text: string): void {
    if (text.includes("\n")) this.line(`Your message was:\n${text}`, "dim");
    else this.#setAside = text;
  }

  async showPast({ usage, journal, hasUnfinishedInput }: OpenSession["session"]): Promise<void> {
    if (usage.turns === 0 && !hasUnfinishedInput) return;
    const { printLastExchange } = await import("../last-exchange.ts");
    printLastExchange(journal, (text) => this.line(text, "dim"));
  }

  watch({ session, journal }: OpenSession): void {
    const endings = new InputEndings(journal.path !== undefined);
    void (async () => {
      for await (const event of session.events()) {
        if (!endings.covers(event)) this.#printer.event(event);
        const ending = endings.after(event);
        if (ending !== undefined) this.#printer.line(ending, "red");
      }
    })();
  }

  leave(code: ExitCode): void {
    if (!this.#isOver) this.#printer.endLine();
    this.#isOver = true;
    this.#leave(code);
  }

  /** Runs an input of the user; the prompt returns when nothing is running any more. */
  async tell(say: (controller: S) => Promise<void>): Promise<void> {
    if (!this.#controller) return;
    try {
      await say(this.#controller);
    } catch (error) {
      this.line((error as Error).message, "red");
    }
    if (!this.#isOver && this.#pending.length === 0 && !this.#controller.isBusy) this.#prompt();
  }

  /** A command is no answer: it runs if it may run while the agent works, and the question stays. */
  async #askAbout(question: string, signal: AbortSignal, before?: () => void): Promise<string | undefined> {
    for (;;) {
      const said = (await this.ask(question, signal, before))?.trim();
      const command = said === undefined ? undefined : this.#controller?.commands.parse(said);
      if (signal.aborted || !command) return said;
      await this.#controller?.command(command);
    }
  }

  #showQuestion({ question, before, isSecret = false }: PendingQuestion): void {
    if (this.#setAside === "") this.#setAside = this.#typed.open("", "");
    before?.();
    this.#printer.endLine();
    this.#typed.open(visible(question).replaceAll("\n", " "), "", isSecret);
  }

  #showNext(): void {
    const [next] = this.#pending;
    if (this.#isOver) return;
    if (next) this.#showQuestion(next);
    else if (this.#setAside !== "") this.#prompt();
  }

  #prompt(): void {
    this.#printer.endLine();
    this.#typed.open(this.#begun === "" ? PROMPT : MORE, this.#setAside || this.#typed.text);
    this.#setAside = "";
  }

  readonly #read = (text: string): void => {
    this.#escape?.cancel();
    for (const key of this.#decoder.feed(text)) if (key.kind === "key" || key.kind === "paste") this.#key(key);
    if (this.#decoder.isPending)
      this.#escape = this.#machine.deps.setTimer(() => {
        for (const key of this.#decoder.flush()) this.#key(key);
      }, this.#decoder.patienceMs);
  };

  #key(key: Key): void {
    if (this.#isOver) return;
    if (key.kind === "paste") this.#typed.paste(key.text);
    if (key.kind !== "key" || this.#typed.edit(key)) return;
    const { name, ctrl } = key;
    if (name === "enter" || (ctrl && name === "j")) this.#enter();
    else if (name === "escape") this.#controller?.stop();
    else if (ctrl && name === "c") this.#interrupt();
    else if (ctrl && name === "z") process.kill(0, "SIGTSTP");
    else if (ctrl && name === "d" && this.#typed.text === "") {
      if (this.#controller) void this.#controller.leave(EXIT.done);
      else this.leave(EXIT.done);
    }
  }

  #enter(): void {
    const said = this.#typed.whole;
    this.#typed.close();
    const [pending] = this.#pending;
    if (pending) {
      pending.settle(said);
      return;
    }
    const whole = `${this.#begun}${said.replace(/\\$/, "")}`;
    this.#begun = said.endsWith("\\") ? `${whole}\n` : "";
    if (this.#begun !== "" || whole === "") this.#prompt();
    else void this.tell((controller) => controller.say(whole));
  }

  /** Discards what was being typed, as in a shell; the next input starts on a new line. */
  #interrupt(): void {
    this.#typed.close();
    this.#begun = "";
    this.#setAside = "";
    // All are removed together, because settling one would show the next.
    for (const pending of this.#pending.splice(0)) pending.settle(undefined);
    void this.tell(async (controller) => controller.interrupt());
  }
}
