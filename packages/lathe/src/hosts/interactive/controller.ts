// What a user at the terminal can do: send, steer, queue, interrupt, run commands, leave. It knows no terminal: text
// comes in through its methods, and output goes through the view.

import type { InputContent, QueuedMessage } from "@lathe/agent";
import type { ClientDeps } from "@lathe/llm";
import { withAttachments } from "../../conversation/attachments.ts";
import type { CommandRegistry } from "../../conversation/commands/command.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { InputExpansion } from "../../conversation/expand-input.ts";
import { askLeftOpen, isLeftOpen } from "../../conversation/gates/open-question.ts";
import goOn from "../../conversation/go-on.md";
import { MessageTooLarge } from "../../conversation/too-large-input.ts";
import { isOwn } from "../../conversation/unsent-messages.ts";
import { type BangCommand, bangCommand } from "../../conversation/user-shell.ts";
import { CliError, EXIT, type ExitCode } from "../../platform/usage/exit.ts";
import type { HostView } from "./host-view.ts";
import { SecondPress } from "./second-press.ts";

const CUT_OFF = "The last request was interrupted. Resume it?";

type LeavingKey = "Ctrl+C" | "Ctrl+D";
type ParsedCommand = NonNullable<ReturnType<CommandRegistry["parse"]>>;

/** Messages that wait: steering is sent at the next step, follow-ups when the work is done. */
export interface Queue {
  readonly steering: readonly QueuedMessage[];
  readonly followUps: readonly QueuedMessage[];
  /** Nothing is running that would send them. */
  readonly isIdle: boolean;
}

export class Controller {
  readonly conversation: Conversation;
  readonly commands: CommandRegistry;
  readonly #view: HostView;
  /** The key that leaves when it is pressed again. */
  readonly #pressed: SecondPress<LeavingKey>;
  /** Messages that were entered but are still being prepared: stopping returns them to the input. */
  readonly #onTheWay = new Set<{ readonly text: string }>();
  /** Inputs that are running. */
  readonly #running = new Set<Promise<void>>();
  #isStopping = false;
  #isLeaving = false;
  /** Aborted when an input begins, which ends the offer to resume. */
  #offer = new AbortController();
  /** The last command; later input waits until it has finished. */
  #commanded: Promise<void> = Promise.resolve();
  readonly #expansion = new InputExpansion();

  constructor(conversation: Conversation, commands: CommandRegistry, view: HostView, setTimer: ClientDeps["setTimer"]) {
    this.conversation = conversation;
    this.commands = commands;
    this.#view = view;
    this.#pressed = new SecondPress(setTimer);
  }

  get isBusy(): boolean {
    return this.#running.size > 0 || this.conversation.isBusy;
  }

  get queue(): Queue {
    const { session } = this.conversation;
    if (session.state === "closed") return { steering: [], followUps: [], isIdle: true };
    const ownMessages = (delivery: "steering" | "follow_up") => session.queuedMessages(delivery).filter(isOwn);
    return { steering: ownMessages("steering"), followUps: ownMessages("follow_up"), isIdle: !this.isBusy };
  }

  /** Enter: runs a command, sends an input, or steers while the agent works. `attached` are pictures and the like. */
  async say(text: string, attached: InputContent = []): Promise<void> {
    await this.#send(text, attached, (content) => this.conversation.session.steer(content));
  }

  /** Queues a message until the present work is done. */
  async sayLater(text: string, attached: InputContent = []): Promise<void> {
    await this.#send(text, attached, (content) => this.conversation.session.followUp(content));
  }

  /** Submits an input; `later` is sent afterwards, one by one. */
  async submit(content: InputContent, later: readonly InputContent[] = []): Promise<void> {
    await this.#track(async () => {
      await this.#reopen();
      const answered = this.conversation.submit(content);
      for (const next of later) this.conversation.session.followUp(next);
      const { error } = await answered;
      // The message could not be saved and was not answered; the user should not have to type it again.
      if (error?.kind === "storage" && typeof content === "string") this.#view.prefill(content);
    });
  }

  /** Offers to resume an interrupted input until the user sends something else. */
  async offerToContinue(): Promise<void> {
    const { session, open } = this.conversation;
    // An open question of a workflow is asked again, as the user has to answer it.
    if (session.hasUnfinishedInput && open.gates.open) return this.#continue();
    if (isLeftOpen(open)) return this.#askLeftOpen();
    // A command may replace the session.
    while (session === this.conversation.session && !this.isBusy) {
      this.#offer = new AbortController();
      const { signal } = this.#offer;
      const stopWatching = endWhenWorkBegins(session, this.#offer);
      const said = await this.#view.offer(CUT_OFF, signal);
      stopWatching();
      if (signal.aborted) return;
      if (said === true) return this.#continue();
      if (said === undefined || said === false) return this.returnQueued();
      const isCommand = this.commands.parse(said) !== undefined;
      if (!isCommand) this.returnQueued();
      await this.say(said);
      if (!isCommand) return;
    }
  }

  /** Messages queued by an earlier process were about its work, so they go back to the input instead of being sent. */
  returnQueued(): void {
    const text = this.takeBackQueued();
    if (text === "") return;
    this.#view.prefill(text);
    this.#view.line("Your queued messages are back in the input.", "dim");
  }

  /** Stops the work. Returns whether there was any. */
  stop(): boolean {
    if (this.conversation.shell.cancel()) return true;
    const isBusy = this.isBusy;
    if (!isBusy && this.#onTheWay.size === 0) return false;
    this.#isStopping = this.#running.size > 0;
    const unsent = isBusy ? this.conversation.interrupt() : [];
    const words = unsent.flatMap((content) => (typeof content === "string" ? [content] : []));
    words.push(...Array.from(this.#onTheWay, ({ text }) => text));
    this.#onTheWay.clear();
    if (words.length > 0) this.#view.prefill(words.join("\n"));
    return true;
  }

  /** Ctrl+C: stops the work; pressed again, leaves. */
  interrupt(): void {
    if (this.#pressed.isSecond("Ctrl+C")) {
      void this.leave(EXIT.interrupted);
      return;
    }
    this.stop();
    this.#arm("Ctrl+C");
  }

  /** After Ctrl+C has cleared the composer, the next one stops the work, or leaves if there is none. */
  armAfterClear(): void {
    if (this.isBusy) this.#view.hint("Press Ctrl+C again to stop the work.");
    else this.#arm("Ctrl+C");
  }

  /** Ctrl+D: leaves; while the agent works, only when pressed again. */
  exit(): void {
    if (!this.isBusy || this.#pressed.isSecond("Ctrl+D")) void this.leave(EXIT.done);
    else this.#arm("Ctrl+D");
  }

  /** A user who leaves a view with changes is asked about them first; leaving a second time keeps them. */
  async leave(code: ExitCode): Promise<void> {
    this.#pressed.forget();
    const { view } = this.conversation.workspace;
    if (view && !this.#isLeaving) {
      this.#isLeaving = true;
      try {
        if (this.isBusy) await this.conversation.session.interrupt();
        // A team worker's view ends with it, and its work becomes a patch that the leader gets.
        if (this.conversation.workspace.machine.paneStarter?.member) return this.#view.leave(code);
        const { settleBeforeLeaving } = await import("../../conversation/commands/worktree-command.ts");
        const mayLeave = await settleBeforeLeaving(this.conversation, view, this.#view);
        if (!mayLeave && code === EXIT.done) return;
      } finally {
        this.#isLeaving = false;
      }
    }
    this.#view.leave(code);
  }

  #arm(key: LeavingKey): void {
    this.#pressed.begin(key);
    const stops = this.isBusy && key === "Ctrl+D" ? " The work will stop." : "";
    this.#view.hint(`Press ${key} again to quit.${stops}`);
  }

  /** Another key was pressed, so the next Ctrl+C counts as a first one. */
  disarm(): void {
    this.#pressed.forget();
  }

  /** Stops the work, then sends this. */
  async sayInstead(text: string, attached: InputContent = []): Promise<void> {
    const content = await this.#contentOf(text, attached);
    if (content === undefined) return;
    await this.#track(async () => {
      await this.conversation.submitInstead(content);
    });
  }

  /** Returns queued messages as text for the input. */
  takeBackQueued(): string {
    const { session } = this.conversation;
    const { steering, followUps } = this.queue;
    const words: string[] = [];
    for (const { id, content } of [...steering, ...followUps])
      if (typeof content === "string" && session.cancelQueued(id)) words.push(content);
    return words.join("\n\n");
  }

  /** Runs a command after earlier ones have finished. */
  command(command: ParsedCommand): Promise<void> {
    const inTurn = () => this.#commanded.then(() => this.#run(command));
    const { takesSecrets } = this.commands.get(command.name) ?? {};
    const running = takesSecrets ? this.#view.dialogue("the start", inTurn) : inTurn();
    // A failed command must not keep the next one from running.
    this.#commanded = running.catch(() => {});
    return running;
  }

  async #send(text: string, attached: InputContent, whileWorking: (content: InputContent) => void): Promise<void> {
    const said = text.trimEnd();
    if (said === "" && attached.length === 0) return;
    // A command that is already loaded runs at once, because the next keys may answer its question.
    const known = this.commands.parse(said);
    if (known && this.commands.get(known.name)) return this.command(known);
    const message = { text: said };
    this.#onTheWay.add(message);
    let content: InputContent | undefined;
    try {
      await this.commands.ready;
      const command = this.commands.parse(said);
      if (command) return this.command(command);
      const bang = bangCommand(said);
      if (bang) return this.#shell(bang);
      await this.#commanded;
      content = await this.#contentOf(said, attached);
      // Input after a stop must not steer the stopped work, and an idle session takes no more steering, so this waits
      // for the running inputs.
      if (this.#isStopping || this.conversation.session.state === "idle") await Promise.allSettled(this.#running);
    } finally {
      // If it is gone, a stop has returned it to the input.
      if (!this.#onTheWay.delete(message)) content = undefined;
    }
    if (content === undefined) return;
    if (this.isBusy) whileWorking(content);
    else await this.submit(content);
  }

  /** Undefined: a command did its work, and there is nothing to send. */
  async #contentOf(text: string, attached: InputContent): Promise<InputContent | undefined> {
    const words = await this.expand(text).catch((error: unknown) => {
      // The user should not have to paste it again.
      if (error instanceof MessageTooLarge) this.#view.prefill(text);
      throw error;
    });
    if (words === undefined) return undefined;
    return attached.length === 0 ? words : [...partsOf(attached), ...partsOf(words)];
  }

  /** Expands a command, or attaches the files that the text names, wherever they are. */
  async expand(content: InputContent): Promise<InputContent | undefined> {
    await this.commands.ready;
    const { machine, view } = this.conversation.workspace;
    return this.#expansion.expand(content, this.conversation.open, {
      commands: this.commands.list(),
      attach: (text) => withAttachments(text, machine, view?.env),
    });
  }

  async #shell(bang: BangCommand): Promise<void> {
    const shown = this.#view.userCommand(bang);
    try {
      shown.end(await this.conversation.shell.run(bang, { onOutput: (chunk) => shown.output(chunk) }));
    } catch (error) {
      shown.end();
      throw error;
    }
  }

  /**
   * A session ends when its file cannot be written. The next input continues from what the file holds, or in a new
   * session.
   */
  async #reopen(): Promise<void> {
    if (this.conversation.session.state !== "closed") return;
    const how = await this.conversation.reopen();
    const what = how === "resumed" ? "It was reopened from its file." : "This is a new session.";
    this.#view.line(`The session had ended because its file could not be written. ${what}`, "dim");
  }

  async #askLeftOpen(): Promise<void> {
    let isAnswered = false;
    await this.#track(async () => {
      isAnswered = await askLeftOpen(this.conversation.open);
    });
    if (isAnswered) await this.submit(goOn.trim());
    else if (this.conversation.session.state !== "closed") this.returnQueued();
  }

  async #continue(): Promise<void> {
    if (!this.conversation.session.hasUnfinishedInput) return this.submit(goOn.trim());
    await this.#track(async () => void (await this.conversation.continue()));
  }

  async #track(work: () => Promise<void>): Promise<void> {
    this.#offer.abort();
    const running = work();
    this.#running.add(running);
    try {
      await running;
    } finally {
      this.#running.delete(running);
      if (this.#running.size === 0) this.#isStopping = false;
    }
  }

  async #run(command: ParsedCommand): Promise<void> {
    try {
      await this.commands.run(this.conversation, command, this.#view);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      this.#view.line(error.message, "red");
    }
  }
}

function partsOf(content: InputContent): Exclude<InputContent, string> {
  if (typeof content !== "string") return content;
  return content === "" ? [] : [{ kind: "text", text: content }];
}

/** Other clients of the session may also resume the work, which ends the offer. */
function endWhenWorkBegins(session: Conversation["session"], offer: AbortController): () => void {
  const events = session.events();
  void (async () => {
    for await (const { kind } of events) if (kind === "user_input" || kind === "turn_start") return offer.abort();
  })();
  return () => void events.return?.();
}
