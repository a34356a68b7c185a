// What a person at the line mode can do: speak, steer, interrupt, answer questions, and the slash commands. Knows no terminal:
// text comes in through `line`, answers go out through the view.

import type { Answer, InputContent, Question, Session, SessionEvent } from "@lathe/agent";
import type { ExitCode } from "../../cli/exit.ts";
import { CliError, EXIT } from "../../cli/exit.ts";
import type { OpenSession } from "../../run/open-session.ts";
import { summary } from "./printer.ts";

export interface LineView {
  line(text: string, style?: "dim" | "bold" | "red" | "yellow"): void;
  /** Asks for one line of text; undefined when the person gave up. */
  ask(question: string, signal?: AbortSignal): Promise<string | undefined>;
  leave(code: ExitCode): void;
}

export interface LineActions {
  /** Ends the present session and opens another one: a new one, or the named one. */
  reopen(resume?: string): Promise<OpenSession>;
  /** Path of the page that was written. */
  exportHtml(open: OpenSession): Promise<string>;
}

const HELP = `Type a request and press Enter. While the agent works, what you type is told to it.
Ctrl+C stops the work; pressed again, it leaves.
  /model [provider/id[:effort]]   show or change the model
  /new                            start a new session
  /resume <id>                    go on with an earlier session
  /cost                           what this session has used
  /export                         write this session as an HTML page
  /help, /quit`;

const LEAVE_WITHIN_MS = 2_000;

export class LineController {
  readonly #view: LineView;
  readonly #actions: LineActions;
  readonly #now: () => number;
  #open: OpenSession;
  #lastInterrupt = Number.NEGATIVE_INFINITY;
  #busy = false;

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
    const said = text.trim();
    if (said === "") return;
    // A path may begin a sentence as well.
    if (/^\/\w*(\s|$)/.test(said)) return this.#command(said);
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
    const whose = event.agent_id === undefined ? "" : ` (agent ${event.agent_id})`;
    const answer = await this.#view.ask(`Allow ${tool} ${summary(tool, args)}${whose}? [y/N] `, signal);
    if (signal.aborted) return;
    const allowed = /^y(es)?$/i.test(answer?.trim() ?? "");
    const plainNo = /^(no?)?$/i.test(answer?.trim() ?? "");
    const reason = plainNo ? "The user said no." : `The user said: ${answer}`;
    const by = "user";
    const verdict = allowed ? { decision: "allow" as const, by } : { decision: "deny" as const, by, reason };
    this.#session.answerApproval(callId, verdict, event.agent_id);
  }

  async answer(questions: readonly Question[], signal: AbortSignal): Promise<readonly Answer[] | undefined> {
    const answers: Answer[] = [];
    for (const { id, question, options } of questions) {
      this.#view.line(question, "bold");
      for (const [i, { label }] of options.entries()) this.#view.line(`  ${i + 1}. ${label}`);
      const said = (await this.#view.ask("Number or your own words: ", signal))?.trim();
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
        this.#open = await this.#actions.reopen();
        return this.#view.line("New session.", "dim");
      case "resume":
        if (value === "") return this.#view.line("Name a session: /resume <id>. See: lathe sessions list", "yellow");
        this.#open = await this.#actions.reopen(value);
        return this.#view.line(`Resumed session ${this.#session.id}.`, "dim");
      case "export":
        return this.#view.line(`Written: ${await this.#actions.exportHtml(this.#open)}`, "dim");
      default:
        return this.#view.line(`There is no /${name}. See /help.`, "yellow");
    }
  }
}
