// What a person at the line mode can do: speak, steer, interrupt, answer questions, and the slash commands. Knows no terminal:
// text comes in through `line`, answers go out through the view.

import type { Answer, InputContent, PlanVerdict, Question, Session } from "@lathe/agent";
import type { ApprovalQuestion, ApprovalReply } from "../../conversation/approvals.ts";
import { withAttachments } from "../../conversation/attachments.ts";
import type { CommandRegistry } from "../../conversation/commands/command.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import goOn from "../../headless/go-on.md";
import { CliError, EXIT, type ExitCode } from "../../usage/exit.ts";
import { approvalText, type StyledLine } from "./approval.ts";
import type { Style } from "./printer.ts";

/** How a person answers a question: with text, by cancelling it, or by exiting. */
type Said = string | undefined;

export interface LineView {
  readonly columns: number;
  line(text: string, style?: Style): void;
  /** Asks for one line of text; undefined when the person gave up. `before` shows what the question is about. */
  ask(question: string, signal?: AbortSignal, before?: () => void): Promise<Said>;
  showPast(session: Session): Promise<void>;
  /** Puts text before the person, to be edited and sent. */
  prefill(text: string): void;
  leave(code: ExitCode): void;
}

const GREETING = `Type a request and press Enter. While the agent works, what you type is sent to it.
A line that ends with \\ continues on the next one. @path attaches a file.
Ctrl+C stops the work; pressed again, it leaves.
Asked whether a call is allowed: y, n, always (every later call of this tool inside this project; for shell: every command),
v (everything it would do), or what to do instead.`;

const CUT_OFF = "The last input was not finished. Continue it? [Y/n, or what to do instead] ";

const LEAVE_WITHIN_MS = 2_000;

export class LineController {
  readonly #view: LineView;
  readonly #conversation: Conversation;
  readonly #commands: CommandRegistry;
  readonly #now: () => number;
  #lastInterrupt = Number.NEGATIVE_INFINITY;
  #busy = false;
  /** The last command; what is typed after it waits until it has done its work. */
  #commanded: Promise<void> = Promise.resolve();

  constructor(conversation: Conversation, commands: CommandRegistry, view: LineView, now: () => number) {
    this.#conversation = conversation;
    this.#commands = commands;
    this.#view = view;
    this.#now = now;
  }

  get busy(): boolean {
    return this.#busy;
  }

  async line(text: string): Promise<void> {
    const said = text.trimEnd();
    if (said === "") return;
    const command = this.#commands.parse(said);
    const before = this.#commanded;
    if (command) {
      const running = before.then(() => this.#command(command));
      // One that failed must not keep the next from running.
      this.#commanded = running.catch(() => {});
      return running;
    }
    await before;
    const content = await withAttachments(said, this.#conversation.workspace.machine);
    if (this.#busy) this.#conversation.session.steer(content);
    else await this.submit(content);
  }

  /** `later` are sent one by one after it. */
  async submit(content: InputContent, later: readonly InputContent[] = []): Promise<void> {
    this.#busy = true;
    try {
      const answered = this.#conversation.submit(content);
      for (const next of later) this.#conversation.session.followUp(next);
      await answered;
    } finally {
      this.#busy = false;
    }
  }

  /** Before anything else is typed, in a session whose last input was cut off. */
  async offerToContinue(): Promise<void> {
    const { session } = this.#conversation;
    // A command may put another session in its place.
    while (session === this.#conversation.session) {
      const said = (await this.#view.ask(CUT_OFF))?.trim();
      if (said === undefined || /^no?$/i.test(said)) return;
      if (/^(y(es)?)?$/i.test(said)) return this.#continue();
      const isCommand = this.#commands.parse(said) !== undefined;
      await this.line(said);
      if (!isCommand) return;
    }
  }

  async #continue(): Promise<void> {
    if (!this.#conversation.session.hasUnfinishedInput) return this.submit(goOn.trim());
    this.#busy = true;
    try {
      await this.#conversation.continue();
    } finally {
      this.#busy = false;
    }
  }

  /** Ctrl+C. */
  interrupt(): void {
    const again = this.#now() - this.#lastInterrupt < LEAVE_WITHIN_MS;
    this.#lastInterrupt = this.#now();
    if (again) {
      this.#view.leave(EXIT.interrupted);
    } else if (this.#busy || this.#conversation.isBusy) {
      const unsent = this.#conversation.interrupt();
      this.#view.line("Interrupted. Press Ctrl+C again to leave.", "yellow");
      for (const content of unsent) if (typeof content === "string") this.#view.line(`Not sent: ${content}`, "dim");
    } else {
      this.#view.line("Press Ctrl+C again to leave.", "dim");
    }
  }

  /** `signal` removes the question when it was settled in another way. */
  async approve(question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalReply | undefined> {
    const whose = question.agentId === undefined ? "" : ` (agent ${question.agentId})`;
    const text = approvalText(question, whose, this.#view.columns);
    let shown: readonly StyledLine[] = text.above;
    for (;;) {
      const show = (): void => {
        for (const { text: line, style } of shown) this.#view.line(line, style);
      };
      const said = (await this.#ask(text.question, signal, show)) ?? "";
      if (signal.aborted) return undefined;
      if (/^v(iew)?$/i.test(said) && text.rest.length > 0) shown = text.rest;
      else if (isAlways(said) && !question.canAllowAlways)
        this.#view.line("Calls like this one are asked about each time. Answer y or n.", "yellow");
      else return replyOf(said);
    }
  }

  async answer(questions: readonly Question[], signal: AbortSignal): Promise<readonly Answer[] | undefined> {
    const answers: Answer[] = [];
    for (const question of questions) {
      const show = (): void => {
        this.#view.line(question.question, "bold");
        for (const [i, { label }] of question.options.entries()) this.#view.line(`  ${i + 1}. ${label}`);
      };
      const how = question.multi ? "Numbers (1,3) or your own words: " : "Number or your own words: ";
      const said = await this.#ask(how, signal, show);
      if (!said) return undefined;
      answers.push(answerTo(question, said));
    }
    return answers;
  }

  async decidePlan(plan: string, signal: AbortSignal): Promise<PlanVerdict> {
    this.#view.line(plan);
    const said = (await this.#ask("Carry out this plan? [y/N, or what to change] ", signal)) ?? "";
    if (/^y(es)?$/i.test(said)) return { approved: true };
    return { approved: false, ...(/^no?$/i.test(said) || said === "" ? {} : { feedback: said }) };
  }

  /** A command is no answer: it runs if it may while the agent works, and the question stays. */
  async #ask(question: string, signal: AbortSignal, before?: () => void): Promise<Said> {
    for (;;) {
      const said = (await this.#view.ask(question, signal, before))?.trim();
      const command = said === undefined ? undefined : this.#commands.parse(said);
      if (signal.aborted || !command) return said;
      await this.#command(command);
    }
  }

  async #command(command: { readonly name: string; readonly argument: string }): Promise<void> {
    if (command.name === "help") this.#view.line(GREETING);
    const view = {
      columns: this.#view.columns,
      line: (text: string, style?: Style): void => this.#view.line(text, style),
      ask: (question: string): Promise<Said> => this.#view.ask(question),
      showPast: (session: Session): Promise<void> => this.#view.showPast(session),
      prefill: (text: string): void => this.#view.prefill(text),
      leave: (code: ExitCode): void => this.#view.leave(code),
    };
    try {
      await this.#commands.run(this.#conversation, command, view);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      this.#view.line(error.message, "red");
    }
  }
}

const isAlways = (said: string): boolean => /^a(lways)?$/i.test(said);

function replyOf(said: string): ApprovalReply {
  if (isAlways(said)) return { decision: "always", by: "user" };
  if (/^y(es)?$/i.test(said)) return { decision: "allow", by: "user" };
  const reason = /^(no?)?$/i.test(said) ? "The user said no." : `The user said: ${said}`;
  return { decision: "deny", by: "user", reason };
}

/** Numbers choose options, several where that is allowed; anything else is an answer in the person's own words. */
function answerTo({ id, options, multi }: Question, said: string): Answer {
  const words = said.split(/[\s,]+/).filter((word) => word !== "");
  const chosen = words.map((word) => (/^\d+$/.test(word) ? options[Number(word) - 1]?.label : undefined));
  const selected = chosen.filter((label) => label !== undefined);
  const isChoice = selected.length === words.length && (multi || selected.length === 1);
  return isChoice ? { id, selected: [...new Set(selected)] } : { id, selected: [], custom: said };
}
