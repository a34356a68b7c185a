// Session events become blocks, in the order of the transcript: calls stand in the order in which the answer makes them, whichever
// ends first. Knows nothing of rows.

import type { Card, EventData, SessionEvent } from "@lathe/agent";
import { wordsAndAttachments } from "../../../sessions/attached-text.ts";
import { joinLines } from "../../headless/outcome.ts";
import { TOLD_AT_THE_END } from "../../headless/told-at-end.ts";
import { InputEndings } from "../input-endings.ts";
import { type Block, CallBlock, TextBlock, ThinkingBlock, WholeBlock } from "./blocks.ts";
import { Children } from "./children.ts";
import type { Item, NoteKind, UserItem } from "./item.ts";
import { picturesIn } from "./pictures.ts";
import { reportLine } from "./reports.ts";

export interface FoldOptions {
  /** `provider/model` of the requests that are sent now. */
  readonly model: () => string;
  readonly summaryOf: (entryId: string) => string | undefined;
}

/** A failed request that is made again. */
export interface Retry {
  readonly message: string;
  readonly attempt: number;
  /** When the next attempt begins. */
  readonly at: number;
}

export class EventFold {
  readonly #options: FoldOptions;
  readonly children = new Children();
  /** Not yet in the scrollback, oldest first. */
  readonly blocks: Block[] = [];
  retry: Retry | undefined;
  compacting: { readonly tokens: number; readonly since: number } | undefined;
  /** Commands of the person's own that run. They stand below the blocks, which go on without waiting for them. */
  userCommands: readonly CallBlock[] = [];
  /** A call whose arguments are being written. */
  preparing: { readonly tool: string; characters: number } | undefined;
  /** An input is being worked on; since when. */
  busySince: number | undefined;
  /** A request is under way and nothing of its answer is there; since when. */
  awaitedSince: number | undefined;
  /** Rows of the present attempt at an answer are in the scrollback. */
  attemptIsShown = false;
  #open: TextBlock | ThinkingBlock | undefined;
  /** Messages of the person that were shown at once, and that the session has not taken yet. */
  #echoes = 0;
  readonly #endings = new InputEndings(true);
  #hasTurns = false;
  /** A command ran without some of the person's variables, for the first time. */
  #hasWithheld = false;
  #error: string | undefined;
  /** What was said last of a failure. */
  #told = "";

  constructor(options: FoldOptions) {
    this.#options = options;
  }

  /** Behind a text that is streaming in, which goes on in its place. */
  add(item: Item): void {
    this.blocks.push(new WholeBlock(item));
  }

  note(text: string, note: NoteKind): void {
    this.add({ kind: "note", text, note });
  }

  /** Shown before the session has it: the next input is this message. */
  echo(text: string): void {
    this.#echoes++;
    this.add({ kind: "user", text, how: "sent", attached: [] });
  }

  beginUserCommand(card: Card, now: number): CallBlock {
    const block = new CallBlock("");
    block.start(card, now);
    this.userCommands = [...this.userCommands, block];
    return block;
  }

  /** Without an end: it could not be run. */
  endUserCommand(block: CallBlock, end: Parameters<CallBlock["end"]>[0] | undefined, now: number): void {
    this.userCommands = this.userCommands.filter((one) => one !== block);
    if (!end) return;
    block.end(end, now);
    this.blocks.push(block);
  }

  event(event: SessionEvent): void {
    const { timestamp: now } = event;
    const ending = this.#endings.after(event);
    switch (event.kind) {
      case "user_input":
        this.busySince ??= now;
        this.#userInput(event.data);
        break;
      case "steering_injected":
        this.#steered(event.data);
        break;
      case "turn_start":
        this.#hasTurns = true;
        this.awaitedSince = now;
        break;
      case "turn_end":
        this.#turnEnd(now);
        break;
      case "processing_end":
        this.#inputEnd(event.data, now, ending);
        break;
      case "assistant_text_start":
        this.attemptIsShown = false;
        this.retry = undefined;
        break;
      case "assistant_text_delta":
      case "assistant_reasoning_delta":
      case "tool_call_args_delta":
        this.#delta(event);
        break;
      case "assistant_text_end":
        this.#answered(event.data, now);
        break;
      case "tool_call_start":
        this.#call(event.data.call_id).start(event.data.card, now);
        break;
      case "tool_call_output_delta":
        this.#call(event.data.call_id).output(event.data.delta);
        break;
      case "tool_call_end":
        this.#ended(event.data, now);
        break;
      case "approval_request":
        this.#call(event.data.call_id).ask();
        break;
      case "approval_settled":
        this.#call(event.data.call_id).settle(event.data, now);
        break;
      case "retry":
        this.#retried(event.data, now);
        break;
      case "compaction_start":
        this.compacting = { tokens: event.data.tokens_before, since: now };
        break;
      case "compaction_end":
        this.#compacted(event.data);
        break;
      case "warning":
        this.#warned(event.data);
        break;
      case "loop_detection":
        this.note(joinLines(event.data.message), "warning");
        break;
      case "ttsr_triggered":
        this.note(`The model was given a rule that it began to break: ${event.data.rules.join(", ")}.`, "warning");
        break;
      case "error":
        // The end of the input tells it again, with what to do about it.
        if (this.busySince === undefined) this.#tellOnce(joinLines(event.data.message));
        else this.#error = event.data.message;
        break;
      case "agent_lifecycle":
      case "agent_progress": {
        const ended = this.children.follow(event.data.agent);
        if (ended) this.add(ended);
        break;
      }
      case "session_end":
        this.#sessionEnd(event.data, now);
        break;
      case "snapshot":
        this.#snapshot(event.data, now);
        break;
      case "session_start":
      case "state_changed":
      case "queue_changed": // the host shows what waits
      case "turn_limit": // the end of the input tells it
      case "prefix_changed":
      case "tree_moved": // the host draws the other branch
      case "fact_changed": // whoever shows the todo list asks for it
      case "subagent_event": // the other two tell what a person wants to know of it
      case "entry":
        break;
      default:
        event satisfies never;
    }
  }

  get isStreaming(): "text" | "thinking" | undefined {
    if (this.#open === undefined) return undefined;
    return this.#open instanceof TextBlock ? "text" : "thinking";
  }

  get calls(): readonly CallBlock[] {
    return this.blocks.filter((block) => block instanceof CallBlock);
  }

  #userInput({ content, message, origin, source }: EventData["user_input"]): void {
    if (origin === "continue") {
      this.note("Continuing the last input.", "info");
      return;
    }
    if (source && source.kind !== "user") {
      this.note(reportLine(source, content), "info");
      return;
    }
    const { words, attached } = wordsAndAttachments(message.content);
    if (origin === "input" && this.#echoes > 0) this.#echoes--;
    else this.add(userItem(words, origin === "follow_up" ? "queued" : "sent", attached));
    for (const picture of picturesIn(message.content)) this.add(picture);
  }

  #steered({ content, message, source }: EventData["steering_injected"]): void {
    if (source === undefined || source.kind === "user") {
      const { words, attached } = wordsAndAttachments(message.content);
      this.add(userItem(words, "steered", attached));
      for (const picture of picturesIn(message.content)) this.add(picture);
    } else this.note(reportLine(source, content), "info");
  }

  #delta(event: Extract<SessionEvent, { kind: `${string}_delta` }>): void {
    this.awaitedSince = undefined;
    this.retry = undefined;
    switch (event.kind) {
      case "assistant_text_delta":
        this.#textBlock(event.timestamp).add(event.data.delta);
        break;
      case "assistant_reasoning_delta":
        this.#thinkingBlock(event.timestamp).add(event.data.delta);
        break;
      case "tool_call_args_delta": {
        this.#endStream(event.timestamp);
        const { tool_name: tool, delta } = event.data;
        if (this.preparing?.tool !== tool) this.preparing = { tool, characters: 0 };
        this.preparing.characters += delta.length;
        break;
      }
    }
  }

  #textBlock(now: number): TextBlock {
    if (this.#open instanceof TextBlock) return this.#open;
    this.#endStream(now);
    const block = new TextBlock();
    this.#open = block;
    this.blocks.push(block);
    return block;
  }

  #thinkingBlock(now: number): ThinkingBlock {
    if (this.#open instanceof ThinkingBlock) return this.#open;
    this.#endStream(now);
    const block = new ThinkingBlock(now);
    this.#open = block;
    this.blocks.push(block);
    return block;
  }

  #endStream(now: number): void {
    this.#open?.end(now);
    this.#open = undefined;
  }

  #answered({ message }: EventData["assistant_text_end"], now: number): void {
    this.awaitedSince = undefined;
    this.preparing = undefined;
    this.#endStream(now);
    for (const part of message?.content ?? [])
      if (part.kind === "tool_call") this.blocks.push(new CallBlock(part.toolCall.id));
  }

  /** What a call has found to look at stands right below it. */
  #ended(data: EventData["tool_call_end"], now: number): void {
    const call = this.#call(data.call_id);
    call.end(data, now);
    const pictures = picturesIn(data.message.content).map((picture) => new WholeBlock(picture));
    this.blocks.splice(this.blocks.indexOf(call) + 1, 0, ...pictures);
  }

  #call(callId: string): CallBlock {
    const known = this.blocks.find((block) => block instanceof CallBlock && block.callId === callId);
    if (known instanceof CallBlock) return known;
    const block = new CallBlock(callId);
    this.blocks.push(block);
    return block;
  }

  #warned({ message, code }: { readonly message: string; readonly code: string }): void {
    // It comes up in the middle of the first command, and can wait until the work is done.
    if (code === "withheld_variables") this.#hasWithheld = true;
    else if (!TOLD_AT_THE_END.has(code)) this.note(joinLines(message), "warning");
  }

  #retried({ attempt, delay_ms, discards, message }: EventData["retry"], now: number): void {
    this.retry = { message: this.#withProvider(joinLines(message)), attempt, at: now + delay_ms };
    this.preparing = undefined;
    this.awaitedSince = now;
    if (!discards) return;
    // What is in the scrollback stays there; the rest goes.
    for (const block of [...this.blocks])
      if (block instanceof TextBlock || block instanceof ThinkingBlock) this.#remove(block);
    this.#open = undefined;
    if (this.attemptIsShown) this.note("The answer was cut off and begins again.", "warning");
  }

  #withProvider(message: string): string {
    const [provider = "", model] = this.#options.model().split("/");
    const isNamed = model === undefined || message.toLowerCase().includes(provider.toLowerCase());
    return isNamed ? message : `${provider}: ${message}`;
  }

  #remove(block: Block): void {
    const at = this.blocks.indexOf(block);
    if (at >= 0) this.blocks.splice(at, 1);
  }

  #compacted({ entry_id, error, tokens_after, pruned }: EventData["compaction_end"]): void {
    const tokensBefore = this.compacting?.tokens ?? 0;
    this.compacting = undefined;
    if (error !== undefined) this.note(`The conversation could not be summarized: ${joinLines(error)}`, "warning");
    else if (pruned !== undefined && pruned > 0 && entry_id === undefined)
      this.note(`${pruned} old results were emptied to make room.`, "info");
    else {
      const summary = entry_id === undefined ? undefined : () => this.#options.summaryOf(entry_id);
      this.add({ kind: "compaction", tokensBefore, tokensAfter: tokens_after, summary });
    }
  }

  #turnEnd(now: number): void {
    this.awaitedSince = undefined;
    this.preparing = undefined;
    this.#endStream(now);
    // Never started: the turn was cut before their turn came.
    for (const call of this.calls) if (call.isPending) this.#remove(call);
  }

  #inputEnd(data: EventData["processing_end"], now: number, ending: string | undefined): void {
    this.#turnEnd(now);
    this.retry = undefined;
    this.#tellEnd(data, ending);
    if (this.#hasWithheld) this.note("Commands do not see all your environment variables: /status", "info");
    this.#hasWithheld = false;
    if (this.#hasTurns) {
      const { usage, cost } = data;
      this.add({
        kind: "turn",
        model: this.#options.model(),
        tookMs: now - (this.busySince ?? now),
        tokensIn: usage.inputTokens,
        tokensCached: usage.cacheReadTokens ?? 0,
        tokensOut: usage.outputTokens,
        cost,
      });
    }
    this.#hasTurns = false;
    this.#error = undefined;
    this.busySince = data.followups_pending > 0 ? now : undefined;
  }

  /** In the words of print mode, without its commands to continue: this is where one continues. */
  #tellEnd({ reason, awaiting }: EventData["processing_end"], ending: string | undefined): void {
    if (reason === "interrupted" || reason === "aborted") {
      this.note("Interrupted.", "warning");
      return;
    }
    if (awaiting) return;
    this.#told = ending ?? this.#error ?? "";
    if (ending !== undefined) this.note(ending, reason === "completed" ? "warning" : "error");
    else if (this.#error !== undefined) this.note(joinLines(this.#error), "error");
  }

  #sessionEnd({ error }: EventData["session_end"], now: number): void {
    this.#turnEnd(now);
    for (const call of this.calls) call.abandon(now);
    this.retry = undefined;
    this.compacting = undefined;
    this.busySince = undefined;
    if (error !== undefined) this.#tellOnce(joinLines(error));
  }

  /** What ends a session is told by several events. */
  #tellOnce(error: string): void {
    if (!this.#told.includes(error)) this.note(error, "error");
    this.#told = error;
  }

  /** A session that was under way before anybody looked. */
  #snapshot({ input, text, reasoning, calls }: EventData["snapshot"], now: number): void {
    if (input) {
      this.busySince = now;
      this.add(userItem(input.content, "sent", []));
    }
    if (reasoning) this.#thinkingBlock(now).add(reasoning);
    if (text) this.#textBlock(now).add(text);
    for (const { call_id, tool_name, output } of calls) {
      const call = this.#call(call_id);
      call.start(
        { verb: tool_name, subject: "", body: { kind: "output", text: "", keeps: "tail", collapsed: 5 } },
        now,
      );
      call.output(output);
    }
  }
}

const userItem = (text: string, how: UserItem["how"], attached: readonly { readonly name: string }[]): UserItem => ({
  kind: "user",
  text,
  how,
  attached: attached.map(({ name }) => name),
});
