// Blocks that are not in the scrollback yet: streaming text, thinking, running calls, and finished items.

import type { Card, EventData } from "@lathe/agent";
import { elapsedTime, MarkdownStream, type Row, type Span, wrap } from "@lathe/tui";
import type { CallItem, Item, ThinkingItem } from "./item.ts";
import { itemRows, thoughtRows } from "./item-rows.ts";
import { OutputTail } from "./output-tail.ts";
import { dim, type ItemView, oneRow } from "./view.ts";

export interface Block {
  /** Whether the block can no longer change. */
  readonly isDone: boolean;
  /** The kind of the item it becomes. */
  readonly kind: Item["kind"];
  /** The finished item; undefined: there is nothing to keep. */
  readonly item: Item | undefined;
  /** Rows at the start that can no longer change, each returned once. Only for blocks that grow at their end. */
  take?(view: ItemView): readonly Row[];
  /** All rows, or those that `take` has not returned. */
  rows(view: ItemView): readonly Row[];
}

export class WholeBlock implements Block {
  readonly isDone = true;
  readonly item: Item;

  constructor(item: Item) {
    this.item = item;
  }
  get kind(): Item["kind"] {
    return this.item.kind;
  }
  rows(view: ItemView): readonly Row[] {
    return itemRows(this.item, view);
  }
}

/** Lathe's own lines. */
export class LinesBlock implements Block {
  readonly isDone = true;
  readonly kind = "note";
  readonly item = undefined;
  readonly lines: Span[];

  constructor(line: Span) {
    this.lines = [line];
  }
  rows({ columns }: ItemView): readonly Row[] {
    return this.lines.flatMap((line) => wrap([line], columns));
  }
}

export class TextBlock implements Block {
  readonly kind = "text";
  readonly #stream = new MarkdownStream();
  #text = "";
  isDone = false;

  add(delta: string): void {
    this.#text += delta;
    this.#stream.add(delta);
  }
  end(_now: number): void {
    this.isDone = true;
    this.#stream.end();
  }
  get item(): Item | undefined {
    return this.#text.trim() === "" ? undefined : { kind: "text", text: this.#text };
  }
  take(view: ItemView): readonly Row[] {
    return this.#stream.takeFinished(view);
  }
  rows(view: ItemView): readonly Row[] {
    return this.#stream.render(view);
  }
}

export class ThinkingBlock implements Block {
  readonly kind = "thinking";
  readonly #since: number;
  #text = "";
  /** `take` has returned the text up to here. */
  #taken = 0;
  #tookMs: number | undefined;

  constructor(since: number) {
    this.#since = since;
  }
  get isDone(): boolean {
    return this.#tookMs !== undefined;
  }
  add(delta: string): void {
    this.#text += delta;
  }
  end(now: number): void {
    this.#tookMs ??= now - this.#since;
  }
  get item(): ThinkingItem | undefined {
    return this.#text.trim() === "" ? undefined : { kind: "thinking", text: this.#text, tookMs: this.#tookMs };
  }
  /** Returns whole lines if thinking is shown. */
  take(view: ItemView): readonly Row[] {
    if (view.thinking !== "shown") return this.isDone ? this.rows(view) : [];
    const end = this.isDone ? this.#text.trimEnd().length : this.#text.lastIndexOf("\n");
    if (end <= this.#taken) return [];
    const lines = this.#text.slice(this.#taken, end);
    this.#taken = end + 1;
    return thoughtRows(this.isDone ? lines.trimEnd() : lines, view);
  }
  rows(view: ItemView): readonly Row[] {
    const { item } = this;
    if (!item || view.thinking === "hidden") return [];
    if (view.thinking === "shown") {
      const rest = this.#text.slice(this.#taken);
      return rest.trim() === "" ? [] : thoughtRows(rest, view);
    }
    if (this.isDone) return itemRows(item, view);
    const last = this.#text.trimEnd().split("\n").at(-1) ?? "";
    return [
      oneRow(view, [dim(`Thinking ${elapsedTime(view.now - this.#since)}  `)], last, { color: "dim", italic: true }),
    ];
  }
}

type CallEnd = Pick<EventData["tool_call_end"], "card" | "is_error" | "error">;

export class CallBlock implements Block {
  readonly kind = "call";
  readonly callId: string;
  readonly #tail = new OutputTail();
  #card: Card | undefined;
  #state: CallItem["state"] = "running";
  #since = 0;
  #tookMs: number | undefined;
  #decision: string | undefined;

  constructor(callId: string) {
    this.callId = callId;
  }

  start(card: Card, now: number): void {
    this.#card = card;
    this.#since = now;
  }
  output(delta: string): void {
    this.#tail.push(delta);
  }
  ask(): void {
    this.#state = "waiting";
  }
  settle({ decision, by }: EventData["approval_settled"], now: number): void {
    this.#state = "running";
    // The time that the user took to answer does not count for the call.
    this.#since = now;
    this.#decision =
      by === "interrupt"
        ? "cancelled"
        : `${decision === "allow" ? "allowed" : "denied"} by ${by === "user" ? "you" : by}`;
  }
  end({ card, is_error, error }: CallEnd, now: number): void {
    this.#card = card;
    this.#tookMs = now - this.#since;
    this.#state = is_error ? (error?.startsWith("skipped:") ? "skipped" : "failed") : "done";
  }

  /** The session ended before the call did. */
  abandon(now: number): void {
    if (this.isDone || !this.#card) return;
    this.#card = { ...this.#card, outcome: "no result" };
    this.#tookMs = now - this.#since;
    this.#state = "failed";
  }

  get isDone(): boolean {
    return this.#tookMs !== undefined;
  }
  /** Whether the call waits for earlier calls of the answer. */
  get isPending(): boolean {
    return this.#card === undefined;
  }
  get isRunning(): boolean {
    return this.#card !== undefined && this.#state === "running";
  }
  /** Whether the call waits for an answer of the user. */
  get isAsking(): boolean {
    return this.#state === "waiting" || (this.isRunning && !this.isDone && this.#card?.asks === true);
  }
  get group(): Card["group"] {
    return this.#state === "waiting" ? undefined : this.#card?.group;
  }
  get item(): CallItem | undefined {
    if (!this.#card) return undefined;
    return {
      kind: "call",
      card: this.#card,
      state: this.#state,
      since: this.#since,
      tookMs: this.#tookMs,
      decision: this.#decision,
      live: this.#tail.lines,
    };
  }
  rows(view: ItemView): readonly Row[] {
    return this.item ? itemRows(this.item, view) : [];
  }
}
