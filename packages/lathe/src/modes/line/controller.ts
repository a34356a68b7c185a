// What a person at the line mode can do: speak, steer, interrupt, answer questions, and the slash commands. Knows no terminal:
// text comes in through `line`, answers go out through the view.

import type { Answer, InputContent, Question, Session, SessionEvent } from "@lathe/agent";
import type { ExitCode } from "../../cli/exit.ts";
import { CliError, EXIT } from "../../cli/exit.ts";
import type { OpenSession } from "../../run/open-session.ts";
import { approvalText } from "./approval.ts";
import type { Style } from "./printer.ts";

export interface LineView {
  readonly columns: number;
  line(text: string, style?: Style): void;
  /** Asks for one line of text; undefined when the person gave up. `before` shows what the question is about. */
  ask(question: string, signal?: AbortSignal, before?: () => void): Promise<string | undefined>;
  leave(code: ExitCode): void;
}

export interface LineActions {
  /** Ends the present session and opens another one: a new one, or the named one. */
  reopen(resume?: string): Promise<OpenSession>;
  /** Sessions of this directory, newest first. */
  sessions(): readonly { readonly path: string; readonly name: string }[];
  /** Shows where a resumed session stands. */
  recall(open: OpenSession): Promise<void>;
  /** Path of the page that was written. */
  exportHtml(open: OpenSession): Promise<string>;
}

const HELP = `Type a request and press Enter. While the agent works, what you type is told to it.
A line that ends with \\ goes on in the next one.
Ctrl+C stops the work; pressed again, it leaves.
Asked whether a call is allowed: y, n, always (this tool, in this session), or what to do instead.
  /model [provider/id[:effort]]   show or change the model
  /new                            start a new session
  /resume [id]                    go on with an earlier session
  /cost                           what this session has used
  /export                         write this session as an HTML page
  /help, /quit`;

/** A path may begin a sentence as well, and a pasted text is no command. */
const COMMAND = /^\/\w*([ \t].*)?$/;

const LEAVE_WITHIN_MS = 2_000;

export class LineController {
  readonly #view: LineView;
  readonly #actions: LineActions;
  readonly #now: () => number;
  #open: OpenSession;
  #lastInterrupt = Number.NEGATIVE_INFINITY;
  #busy = false;
  /** By tool; aborted when it needs no further yes in this session, which takes open questions about it away. */
  readonly #always = new Map<string, AbortController>();
  /** The last command; what is typed after it waits until it has done its work. */
  #commanded: Promise<void> = Promise.resolve();

  constructor(open: OpenSession, view: LineView, actions: LineActions, now: () => number) {
    this.#open = open;
    this.#view = view;
    this.#actions = actions;
    this.#now = now;
  }

  get open(): OpenSession {
    return this.#open;
  }
  get busy(): boolean {
    return this.#busy;
  }
  get #session(): Session {
    return this.#open.session;
  }

  async line(text: string): Promise<void> {
    const said = text.trimEnd();
    if (said === "") return;
    const isCommand = COMMAND.test(said.trim());
    const before = this.#commanded;
    if (isCommand) {
      this.#commanded = before.then(() => this.#command(said.trim()));
      return this.#commanded;
    }
    await before;
    if (this.#busy) this.#session.steer(said);
    else await this.submit(said);
  }

  async submit(content: InputContent): Promise<void> {
    this.#busy = true;
    try {
      await this.#session.submitWithLate(content);
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
    } else if (this.#busy) {
      this.#view.line("Interrupted. Press Ctrl+C again to leave.", "yellow");
      void this.#session.interrupt();
    } else {
      this.#view.line("Press Ctrl+C again to leave.", "dim");
    }
  }

  /** `signal` takes the question away when it was settled in another way. */
  async approve(event: Extract<SessionEvent, { kind: "approval_request" }>, signal: AbortSignal): Promise<void> {
    const { call_id: callId, tool_name: tool, arguments: args } = event.data;
    const allow = (): void => {
      this.#session.answerApproval(callId, { decision: "allow", by: "user" }, event.agent_id);
    };
    const always = this.#always.get(tool) ?? new AbortController();
    this.#always.set(tool, always);
    if (always.signal.aborted) return allow();
    const whose = event.agent_id === undefined ? "" : ` (agent ${event.agent_id})`;
    const { above, question } = approvalText(tool, args, whose, this.#view.columns);
    const show = (): void => {
      for (const { text, style } of above) this.#view.line(text, style);
    };
    const answer = await this.#view.ask(question, AbortSignal.any([signal, always.signal]), show);
    if (signal.aborted) return;
    const said = answer?.trim() ?? "";
    if (/^a(lways)?$/i.test(said)) always.abort();
    if (always.signal.aborted || /^y(es)?$/i.test(said)) return allow();
    const reason = /^(no?)?$/i.test(said) ? "The user said no." : `The user said: ${said}`;
    this.#session.answerApproval(callId, { decision: "deny", by: "user", reason }, event.agent_id);
  }

  async answer(questions: readonly Question[], signal: AbortSignal): Promise<readonly Answer[] | undefined> {
    const answers: Answer[] = [];
    for (const { id, question, options } of questions) {
      const show = (): void => {
        this.#view.line(question, "bold");
        for (const [i, { label }] of options.entries()) this.#view.line(`  ${i + 1}. ${label}`);
      };
      const said = (await this.#view.ask("Number or your own words: ", signal, show))?.trim();
      if (!said) return undefined;
      const chosen = options[Number(said) - 1]?.label;
      answers.push(chosen === undefined ? { id, selected: [], custom: said } : { id, selected: [chosen] });
    }
    return answers;
  }

  async #command(text: string): Promise<void> {
    const [name = "", ...words] = text.slice(1).split(/\s+/);
    try {
      await this.#run(name, words.join(" "));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      this.#view.line(error.message, "red");
    }
  }

  async #run(name: string, value: string): Promise<void> {
    if (this.#busy && !["help", "cost", "quit", "exit"].includes(name)) {
      return this.#view.line("The agent is working. Press Ctrl+C first.", "yellow");
    }
    switch (name) {
      case "help":
        return this.#view.line(HELP);
      case "quit":
      case "exit":
        return this.#view.leave(EXIT.done);
      case "model": {
        if (value !== "") await this.#open.switchModel(value);
        const { profile } = this.#session;
        return this.#view.line(`Model: ${profile.provider ?? profile.id}/${profile.model}`, "dim");
      }
      case "cost": {
        const { usage, cost, turns } = this.#session.usage;
        return this.#view.line(
          `${turns} ${turns === 1 ? "answer" : "answers"}, ${usage.inputTokens} tokens in, ${usage.outputTokens} out, $${cost.toFixed(4)}`,
          "dim",
        );
      }
      case "new":
        await this.#reopen();
        return this.#view.line("New session.", "dim");
      case "resume":
        return this.#resume(value);
      case "export":
        return this.#view.line(`Written: ${await this.#actions.exportHtml(this.#open)}`, "dim");
      default:
        return this.#view.line(`There is no /${name}. See /help.`, "yellow");
    }
  }

  async #resume(named: string): Promise<void> {
    const session = named === "" ? await this.#choose() : named;
    if (session === undefined) return this.#view.line("No session selected.", "dim");
    await this.#reopen(session);
    this.#view.line(`Resumed session ${this.#session.id}.`, "dim");
    await this.#actions.recall(this.#open);
  }

  async #reopen(resume?: string): Promise<void> {
    this.#open = await this.#actions.reopen(resume);
    this.#always.clear();
  }

  async #choose(): Promise<string | undefined> {
    const sessions = this.#actions.sessions();
    if (sessions.length === 0) throw new CliError(EXIT.usage, "There is no earlier session of this directory.");
    for (const [i, { name }] of sessions.entries()) this.#view.line(`${String(i + 1).padStart(2)}  ${name}`);
    const said = (await this.#view.ask(`Session [1-${sessions.length}, Enter for none]: `))?.trim() ?? "";
    return sessions[Number(said) - 1]?.path;
  }
}
