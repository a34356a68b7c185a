// Turns session events into blocks in the order of the transcript: calls are in the order of the answer, whichever ends
// first. It knows nothing of rows.

import type { Card, EventData, SessionEvent } from "@lathe/agent";
import { wordsAndAttachments } from "../../../sessions/attached-text.ts";
import { reportLine } from "../../../sessions/reports.ts";
import { joinLines } from "../../headless/outcome.ts";
import { AnswerStream } from "./answer-stream.ts";
import { type Block, CallBlock, WholeBlock } from "./blocks.ts";
import { Children } from "./children.ts";
import { EndNotes } from "./end-notes.ts";
import { displayCard, type Item, type NoteKind, userItem } from "./item.ts";
import { picturesIn } from "./pictures.ts";

export interface FoldOptions {
  /** The form is `provider/model`; it is the model of the requests that are sent now. */
  readonly model: () => string;
  readonly summaryOf: (entryId: string) => string | undefined;
}

/** A failed request that is sent again. */
export interface Retry {
  readonly message: string;
  readonly attempt: number;
  /** When the next attempt begins. */
  readonly at: number;
}

type EventOf<Kind extends SessionEvent["kind"]> = Extract<SessionEvent, { kind: Kind }>;
type InputKind = "user_input" | "steering_injected" | "turn_start" | "turn_end" | "processing_end" | "session_end";
type AnswerKind =
  | "assistant_text_start"
  | "assistant_text_delta"
  | "assistant_reasoning_delta"
  | "tool_call_args_delta"
  | "assistant_text_end"
  | "retry";
type CallKind =
  | "tool_call_start"
  | "tool_call_output_delta"
  | "tool_call_end"
  | "approval_request"
  | "approval_settled";

export class EventFold {
  readonly #options: FoldOptions;
  readonly children = new Children();
  /** Blocks that are not yet in the scrollback, oldest first. */
  readonly blocks: Block[] = [];
  retry: Retry | undefined;
  compacting: { readonly tokens: number; readonly since: number } | undefined;
  /** Running commands of the user. They are shown below the blocks, which do not wait for them. */
  userCommands: readonly CallBlock[] = [];
  /** A call whose arguments are being written. */
  preparing: { readonly tool: string; characters: number } | undefined;
  /** Since when an input is being worked on. */
  busySince: number | undefined;
  /** Since when a request waits for the start of its answer. */
  awaitedSince: number | undefined;
  /** Rows of the present attempt at an answer are in the scrollback. */
  attemptIsShown = false;
  readonly #stream = new AnswerStream(this.blocks);
  readonly #notes = new EndNotes((text, kind) => this.note(text, kind));
  /** User messages that were shown at once and that the session has not reported yet. */
  #echoes = 0;
  #hasTurns = false;

  constructor(options: FoldOptions) {
    this.#options = options;
  }

  /** Adds an item after streaming text, which keeps its place. */
  add(item: Item): void {
    this.blocks.push(new WholeBlock(item));
  }

  note(text: string, note: NoteKind): void {
    this.add({ kind: "note", text, note });
  }

  /** Shows a message before the session has it: the next input is this message. */
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

  /** Without `end`, the command could not be run. */
  endUserCommand(block: CallBlock, end: Parameters<CallBlock["end"]>[0] | undefined, now: number): void {
    this.userCommands = this.userCommands.filter((one) => one !== block);
    if (!end) return;
    block.end(end, now);
    this.blocks.push(block);
  }

  event(event: SessionEvent): void {
    const { timestamp: now } = event;
    this.#notes.observe(event);
    switch (event.kind) {
      case "user_input":
      case "steering_injected":
      case "turn_start":
      case "turn_end":
      case "processing_end":
      case "session_end":
        this.#inputEvent(event, now);
        break;
      case "assistant_text_start":
      case "assistant_text_delta":
      case "assistant_reasoning_delta":
      case "tool_call_args_delta":
      case "assistant_text_end":
      case "retry":
        this.#answerEvent(event, now);
        break;
      case "tool_call_start":
      case "tool_call_output_delta":
      case "tool_call_end":
      case "approval_request":
      case "approval_settled":
        this.#callEvent(event, now);
        break;
      case "compaction_start":
        this.compacting = { tokens: event.data.tokens_before, since: now };
        break;
      case "compaction_end":
        this.#endCompaction(event.data);
        break;
      case "warning":
        this.#notes.addWarning(event.data);
        break;
      case "loop_detection":
        this.note(joinLines(event.data.message), "warning");
        break;
      case "ttsr_triggered":
        this.note(`The model began to break a rule and was reminded of it: ${event.data.rules.join(", ")}.`, "warning");
        break;
      case "error":
        this.#notes.addError(event.data.message, this.busySince !== undefined);
        break;
      case "agent_lifecycle":
      case "agent_progress": {
        const ended = this.children.follow(event.data.agent);
        if (ended) this.add(ended);
        break;
      }
      case "snapshot":
        this.#snapshot(event.data, now);
        break;
      case "state_changed":
        // Messages queued after an interrupt, an error or a question are sent with the next message, so there is no
        // work now.
        if (event.data.to !== "processing") this.busySince = undefined;
        break;
      case "session_start":
      case "queue_changed": // the host shows the queue
      case "turn_limit": // the end of the input reports it
      case "prefix_changed":
      case "tree_moved": // the host draws the other branch
      case "fact_changed": // the host asks for the todo list when it shows it
      case "subagent_event": // the two agent events above are enough for the user
      case "entry":
        break;
      default:
        event satisfies never;
    }
  }

  get isStreaming(): "text" | "thinking" | undefined {
    return this.#stream.kind;
  }

  get calls(): readonly CallBlock[] {
    return this.blocks.filter((block) => block instanceof CallBlock);
  }

  #inputEvent(event: EventOf<InputKind>, now: number): void {
    switch (event.kind) {
      case "user_input":
        this.busySince ??= now;
        this.#userInput(event.data);
        break;
      case "steering_injected":
        this.#addSteering(event.data);
        break;
      case "turn_start":
        this.#hasTurns = true;
        this.awaitedSince = now;
        break;
      case "turn_end":
        this.#turnEnd(now);
        break;
      case "processing_end":
        this.#inputEnd(event.data, now);
        break;
      case "session_end":
        this.#sessionEnd(event.data, now);
        break;
    }
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

  #addSteering({ content, message, source }: EventData["steering_injected"]): void {
    if (source === undefined || source.kind === "user") {
      const { words, attached } = wordsAndAttachments(message.content);
      this.add(userItem(words, "steered", attached));
      for (const picture of picturesIn(message.content)) this.add(picture);
    } else this.note(reportLine(source, content), "info");
  }

  #answerEvent(event: EventOf<AnswerKind>, now: number): void {
    switch (event.kind) {
      case "assistant_text_start":
        this.attemptIsShown = false;
        this.retry = undefined;
        break;
      case "assistant_text_delta":
        this.#beginAnswer();
        this.#stream.addText(event.data.delta, now);
        break;
      case "assistant_reasoning_delta":
        this.#beginAnswer();
        this.#stream.addThinking(event.data.delta, now);
        break;
      case "tool_call_args_delta": {
        this.#beginAnswer();
        this.#stream.end(now);
        const { tool_name: tool, delta } = event.data;
        if (this.preparing?.tool !== tool) this.preparing = { tool, characters: 0 };
        this.preparing.characters += delta.length;
        break;
      }
      case "assistant_text_end":
        this.#answerEnd(event.data, now);
        break;
      case "retry":
        this.#beginRetry(event.data, now);
        break;
    }
  }

  #beginAnswer(): void {
    this.awaitedSince = undefined;
    this.retry = undefined;
  }

  #answerEnd({ message }: EventData["assistant_text_end"], now: number): void {
    this.awaitedSince = undefined;
    this.preparing = undefined;
    this.#stream.end(now);
    for (const part of message?.content ?? [])
      if (part.kind === "tool_call") this.blocks.push(new CallBlock(part.toolCall.id));
  }

  #callEvent(event: EventOf<CallKind>, now: number): void {
    const call = this.#call(event.data.call_id, "nested_in" in event.data ? event.data.nested_in : undefined);
    switch (event.kind) {
      case "tool_call_start":
        call.start(displayCard(event.data), now);
        break;
      case "tool_call_output_delta":
        call.output(event.data.delta);
        break;
      case "tool_call_end": {
        call.end({ ...event.data, card: displayCard(event.data) }, now);
        // Pictures that a call found are shown right below it.
        const pictures = picturesIn(event.data.message.content).map((picture) => new WholeBlock(picture));
        this.blocks.splice(this.blocks.indexOf(call) + 1, 0, ...pictures);
        break;
      }
      case "approval_request":
        call.ask();
        break;
      case "approval_settled":
        call.settle(event.data, now);
        break;
    }
  }

  /** A nested call is shown below the call that makes it. */
  #call(callId: string, outer?: string): CallBlock {
    const known = this.calls.find((block) => block.callId === callId);
    if (known) return known;
    const block = new CallBlock(callId);
    const above = this.calls.findLast((call) => call.callId === outer || call.callId.startsWith(`${outer}/`));
    this.blocks.splice(above ? this.blocks.indexOf(above) + 1 : this.blocks.length, 0, block);
    return block;
  }

  #beginRetry({ attempt, delay_ms, discards, message }: EventData["retry"], now: number): void {
    this.retry = { message: this.#withProvider(joinLines(message)), attempt, at: now + delay_ms };
    this.preparing = undefined;
    this.awaitedSince = now;
    if (!discards) return;
    this.#stream.discard();
    if (this.attemptIsShown) this.note("The answer was cut off and is starting over.", "warning");
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

  #endCompaction({ entry_id, error, tokens_after, pruned }: EventData["compaction_end"]): void {
    const tokensBefore = this.compacting?.tokens ?? 0;
    this.compacting = undefined;
    // A warning has already said why.
    if (error !== undefined) return;
    if (pruned !== undefined && pruned > 0 && entry_id === undefined)
      this.note(`${pruned} old tool results were dropped to make room.`, "info");
    else {
      const summary = entry_id === undefined ? undefined : () => this.#options.summaryOf(entry_id);
      this.add({ kind: "compaction", tokensBefore, tokensAfter: tokens_after, summary });
    }
  }

  #turnEnd(now: number): void {
    this.awaitedSince = undefined;
    this.preparing = undefined;
    this.#stream.end(now);
    // These calls never started, because the turn was cut off before.
    for (const call of this.calls) if (call.isPending) this.#remove(call);
  }

  #inputEnd(data: EventData["processing_end"], now: number): void {
    this.#turnEnd(now);
    this.retry = undefined;
    this.#notes.inputEnd(data);
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
    this.busySince = data.followups_pending > 0 ? now : undefined;
  }

  #sessionEnd({ error }: EventData["session_end"], now: number): void {
    this.#turnEnd(now);
    for (const call of this.calls) call.abandon(now);
    this.retry = undefined;
    this.compacting = undefined;
    this.busySince = undefined;
    if (error !== undefined) this.#notes.noteOnce(joinLines(error));
  }

  /** A session that was already running when it was first watched. */
  #snapshot({ input, text, reasoning, calls }: EventData["snapshot"], now: number): void {
    if (input) {
      this.busySince = now;
      this.add(userItem(input.content, "sent", []));
    }
    if (reasoning) this.#stream.addThinking(reasoning, now);
    if (text) this.#stream.addText(text, now);
    for (const { call_id, nested_in, tool_name, output } of calls) {
      const call = this.#call(call_id, nested_in);
      call.start(
        { verb: tool_name, subject: "", body: { kind: "output", text: "", keeps: "tail", collapsed: 5 } },
        now,
      );
      call.output(output);
    }
  }
}
