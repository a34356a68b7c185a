// What a user at an attached terminal can do: prompt, steer, queue, interrupt, answer, leave. Leaving never ends the
// session.

import { type ClientDeps, messageOf } from "@lathe/llm";
import type { PlainView, Speaker } from "../../hosts/interactive/plain/plain-view.ts";
import { SecondPress } from "../../hosts/interactive/second-press.ts";
import { EXIT, type ExitCode } from "../../platform/usage/exit.ts";
import type { Dialog, Door, DoorClient } from "../door/door.ts";
import { askUser } from "./question-lines.ts";

const HELP = `Your text goes to the session and steers the agent while it works. Ctrl+C interrupts the work; twice to leave.
  /later <text>  send it when the work is done
  /queue         what waits to be sent
  /quit          leave; the session goes on`;

interface OwnCommand {
  readonly name: string;
  readonly argument: string;
}

export interface AttachControllerParts {
  readonly door: Door;
  readonly client: DoorClient;
  readonly view: PlainView<AttachController>;
  readonly setTimer: ClientDeps["setTimer"];
  /** Called with each text before it goes to the session. */
  readonly onSend: (text: string) => void;
}

export class AttachController implements Speaker<OwnCommand> {
  readonly #parts: AttachControllerParts;
  readonly #asking = new Map<string, AbortController>();
  /** Whether the session is working on this terminal's input, even before its first event arrives. */
  #works = false;
  /** How many times the session has finished its work. */
  #ends = 0;
  readonly #pressed: SecondPress<"Ctrl+C">;

  constructor(parts: AttachControllerParts) {
    this.#parts = parts;
    this.#pressed = new SecondPress(parts.setTimer);
  }

  readonly commands = {
    parse: (line: string): OwnCommand | undefined => {
      const [, name, argument = ""] = /^\/(later|queue|help|quit|exit)(?:\s+(.*))?$/s.exec(line.trim()) ?? [];
      return name === undefined ? undefined : { name, argument };
    },
  };

  get isBusy(): boolean {
    return this.#works || this.#parts.door.isBusy;
  }

  async say(text: string): Promise<void> {
    const command = this.commands.parse(text);
    if (command) return this.command(command);
    await this.#send("prompt", text);
  }

  submit(text: string): Promise<void> {
    return this.say(text);
  }

  async command({ name, argument }: OwnCommand): Promise<void> {
    const { door, client, view } = this.#parts;
    if (name === "quit" || name === "exit") return this.leave(EXIT.done);
    if (name === "help") return view.line(HELP);
    if (name === "later") {
      if (argument.trim() === "")
        return view.line("Give the message to send when the work is done: /later <text>", "yellow");
      return this.#send("follow_up", argument);
    }
    const { steering, followUp } = await door.command(client, "get_queue", {});
    const rows = [...steering.map(({ text }) => `next: ${text}`), ...followUp.map(({ text }) => `later: ${text}`)];
    view.line(rows.length === 0 ? "No messages are queued." : rows.join("\n"), "dim");
  }

  stop(): void {
    const { door, client, view } = this.#parts;
    if (!this.isBusy) return;
    door.command(client, "abort", {}).catch((error: unknown) => view.line(messageOf(error), "red"));
  }

  /** Ctrl+C interrupts the work; a second press leaves. */
  interrupt(): void {
    const { view } = this.#parts;
    if (this.#pressed.isSecond("Ctrl+C")) {
      void this.leave(EXIT.interrupted);
      return;
    }
    this.#pressed.begin("Ctrl+C");
    this.stop();
    view.hint("Press Ctrl+C again to leave. The session goes on.");
  }

  async leave(code: ExitCode): Promise<void> {
    this.#pressed.forget();
    this.#parts.view.leave(code);
  }

  /** Resolves when the question is answered, here or by another client. */
  async ask(question: Dialog): Promise<void> {
    const { door, client, view } = this.#parts;
    if (this.#asking.has(question.id)) return;
    if (!client.scopes.has("approve")) return view.line(`The session asks: ${question.title ?? ""}`, "yellow");
    const closeQuestion = new AbortController();
    this.#asking.set(question.id, closeQuestion);
    try {
      const answer = await askUser(view, question, closeQuestion.signal);
      if (answer === undefined) return;
      const outcome = await door.answer(client, question.id, answer);
      if (outcome.status === "settled") view.line(`${outcome.by} had answered already.`, "dim");
    } catch (error) {
      view.line(messageOf(error), "red");
    } finally {
      this.#asking.delete(question.id);
    }
  }

  workEnded(): void {
    this.#ends++;
    this.#works = false;
  }

  settled(questionId: string): void {
    this.#asking.get(questionId)?.abort();
  }

  /** Closes all questions but these. */
  keepAsking(questions: readonly Dialog[]): void {
    for (const [id, asked] of this.#asking) if (!questions.some((question) => question.id === id)) asked.abort();
    for (const question of questions) void this.ask(question);
  }

  async #send(how: "prompt" | "follow_up", text: string): Promise<void> {
    const { door, client, onSend } = this.#parts;
    onSend(text);
    if (how === "follow_up") await door.command(client, "follow_up", { message: text });
    else await door.command(client, "prompt", { message: text, streamingBehavior: "steer" });
    // A quick command may be done by now. If the work ended while we asked, that event is newer than the answer.
    const ends = this.#ends;
    const { isStreaming } = await door.command(client, "get_state", {});
    if (ends === this.#ends) this.#works = isStreaming;
  }
}
