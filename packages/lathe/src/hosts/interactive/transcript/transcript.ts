// What the user sees of a session: rows that can no longer change are returned once, for the scrollback; the rest is
// drawn again with each frame. A pure view over the session's events.

import type { Session, SessionEvent } from "@lathe/agent";
import { EMPTY_ROW, type RenderContext, type Row, type Span } from "@lathe/tui";
import type { BangCommand } from "../../../conversation/user-shell.ts";
import type { UserCommandView } from "../host-view.ts";
import { type Activity, activityOf } from "./activity.ts";
import { type Block, CallBlock, LinesBlock, TextBlock, ThinkingBlock } from "./blocks.ts";
import { exploredRows } from "./explored-rows.ts";
import { EventFold } from "./fold.ts";
import type { CallItem, Item, NoteKind } from "./item.ts";
import { childRow, itemRows } from "./item-rows.ts";
import { type EntryLines, pastItems } from "./past.ts";
import { statusRows } from "./status-rows.ts";
import { textRows } from "./text-rows.ts";
import { commandFailed, endedCommandCard, runningCommandCard } from "./user-command.ts";
import { dim, INDENT, type ItemView, oneRow } from "./view.ts";

export interface TranscriptOptions {
  readonly thinking: "shown" | "folded" | "hidden";
  /** Shows cards in full. */
  readonly expanded: boolean;
  /** The clock of the session's events. */
  now(): number;
  onChange(): void;
  /** The present model as `provider/model`. */
  model?(): string;
  /** The summary in a compaction entry. */
  summaryOf?(entryId: string): string | undefined;
  /** How extensions show their own messages. */
  entryLines?: EntryLines;
  /** The host shows a question of the agent, so the call that asks is not shown as well. */
  isQuestionShown?(): boolean;
  /** The host shows what agents do, so they have no lines here. */
  areAgentsShown?(): boolean;
  /** The key that shows blocks in full; "ctrl+o" when absent. */
  readonly expandKey?: string | undefined;
  readonly backgroundKey?: string | undefined;
  /** Cards show file names relative to this folder. */
  cwd?(): string;
  /** The keys that work while a command of the user runs. */
  readonly commandHint?: string | undefined;
}

/** A block that is in the scrollback, for a view that shows all of it. */
export interface CommittedBlock {
  readonly item: Item;
  /** All of its rows. */
  rows(context: RenderContext): readonly Row[];
  /** The same rows, made as they are read. */
  each(context: RenderContext): Iterable<Row>;
}

/** Rows of live output below a running call; fewer when many calls run. */
const TAIL_ROWS = [5, 2, 0];
/** Rows for the editor, the status line and what the host shows between them. */
const ROWS_OF_OTHERS = 8;
/** Older items are in the journal. */
const KEPT_ITEMS = 60;

export class Transcript {
  readonly #options: TranscriptOptions;
  readonly #fold: EventFold;
  /** The shape of the last returned rows: it decides whether a blank row follows. */
  #last: "nothing" | Shape = "nothing";
  /** The first block, if some of its rows were returned. */
  #begun: Block | undefined;
  #kept: Item[] = [];
  #thinking: TranscriptOptions["thinking"];
  #expanded: boolean;
  #version = 0;
  #cache: { readonly key: string; readonly rows: readonly Row[] } = { key: "", rows: [] };

  constructor(options: TranscriptOptions) {
    this.#options = options;
    this.#thinking = options.thinking;
    this.#expanded = options.expanded;
    this.#fold = new EventFold({
      model: () => options.model?.() ?? "",
      summaryOf: (entryId) => options.summaryOf?.(entryId),
    });
  }

  event(event: SessionEvent): void {
    this.#fold.event(event);
    this.#announceChange();
  }

  /** Adds one of Lathe's own notes. */
  note(text: string, kind: NoteKind): void {
    this.#fold.note(text, kind);
    this.#announceChange();
  }

  /** Whether some rows were not returned yet. */
  get isUnfinished(): boolean {
    return this.#fold.blocks.length > 0;
  }

  /** Adds one of Lathe's own lines after the unfinished blocks; false if there are none to wait for. */
  addBelow(line: Span): boolean {
    if (!this.isUnfinished) return false;
    const last = this.#fold.blocks.at(-1);
    if (last instanceof LinesBlock) last.lines.push(line);
    else this.#fold.blocks.push(new LinesBlock(line));
    this.#announceChange();
    return true;
  }

  /** Shows what the user sent at once; the session's event of the same message is not shown again. */
  user(text: string): void {
    this.#fold.echo(text);
    this.#announceChange();
  }

  /** Shows a command that the user runs. */
  userCommand({ command, isSent }: BangCommand): UserCommandView {
    const { now } = this.#options;
    const block = this.#fold.beginUserCommand(runningCommandCard(command), now());
    this.#announceChange();
    return {
      output: (chunk) => {
        block.output(chunk);
        this.#announceChange();
      },
      end: (result) => {
        const end = result && { card: endedCommandCard(result, isSent), is_error: commandFailed(result) };
        this.#fold.endUserCommand(block, end, now());
        this.#announceChange();
      },
    };
  }

  /** Takes effect for rows that were not returned yet. */
  set thinking(thinking: TranscriptOptions["thinking"]) {
    this.#thinking = thinking;
    this.#announceChange();
  }
  get thinking(): TranscriptOptions["thinking"] {
    return this.#thinking;
  }
  set expanded(expanded: boolean) {
    this.#expanded = expanded;
    this.#announceChange();
  }
  get expanded(): boolean {
    return this.#expanded;
  }

  /** The current activity in a few words; undefined if there is none. */
  get activity(): Activity | undefined {
    return this.#isQuestionShown ? undefined : activityOf(this.#fold);
  }

  /** Rows that can no longer change, each returned once: the host writes them to the scrollback. */
  takeFinished(context: RenderContext): readonly Row[] {
    const view = this.#view(context);
    const rows: Row[] = [];
    for (let unit = this.#unitAt(0); unit; unit = this.#unitAt(0)) {
      const [block] = unit.blocks;
      if (!block || (!block.take && (!unit.isDone || this.#mayGrow(unit)))) break;
      const made = block.take ? takeRows(block, view) : unit.rows(view);
      if (made.length > 0) {
        const shape = shapeOf(unit, made);
        if (this.#begun !== block && this.#wantsGap(this.#last, shape)) rows.push(EMPTY_ROW);
        rows.push(...made);
        this.#last = shape;
        this.#begun = block;
        if (block instanceof TextBlock || block instanceof ThinkingBlock) this.#fold.attemptIsShown = true;
      }
      if (!unit.isDone) break;
      this.#fold.blocks.splice(0, unit.blocks.length);
      this.#begun = undefined;
      this.#keep(unit.blocks);
    }
    if (rows.length > 0) this.#version++;
    return rows;
  }

  /** Rows that may still change: streaming text, running calls, agents, a retry. */
  render(context: RenderContext): readonly Row[] {
    const key = [
      this.#version,
      context.columns,
      context.rows,
      this.#ticks ? Math.floor(this.#options.now() / 1000) : "",
      this.#isQuestionShown,
      this.#options.areAgentsShown?.(),
    ];
    if (this.#cache.key !== key.join()) this.#cache = { key: key.join(), rows: this.#liveRows(context) };
    return this.#cache.rows;
  }

  /** A running time is shown, so rows change once a second without an event. */
  get ticks(): boolean {
    return this.#ticks;
  }

  /** The last turns of a session, oldest first, one list of rows per block. */
  past(session: Session, context: RenderContext, turns = 5): readonly (readonly Row[])[] {
    const view = this.#view(context);
    const blocks: Row[][] = [];
    let last: "nothing" | Shape = "nothing";
    for (const unit of foldedUnits(pastItems(session, turns, this.#options.entryLines))) {
      const made = unit.rows(view);
      if (made.length === 0) continue;
      const shape = shapeOf(unit, made);
      blocks.push(this.#wantsGap(last, shape) ? [EMPTY_ROW, ...made] : [...made]);
      last = shape;
    }
    this.#last = last === "nothing" ? this.#last : last;
    return blocks;
  }

  /** Items returned lately, newest last; older ones are in the journal (`pastBlocks`). */
  blocks(): readonly CommittedBlock[] {
    return this.#kept.map((item) => this.#committedBlock(item));
  }

  /** Everything in a session's journal, for a full-screen view. */
  pastBlocks(session: Session, turns = Number.POSITIVE_INFINITY): readonly CommittedBlock[] {
    return [...pastItems(session, turns, this.#options.entryLines)].map((item) => this.#committedBlock(item));
  }

  #committedBlock(item: Item): CommittedBlock {
    const rows = (context: RenderContext): readonly Row[] => itemRows(item, { ...this.#view(context), expanded: true });
    return { item, rows, each: (context) => (item.kind === "text" ? textRows(item.text, context) : rows(context)) };
  }

  #announceChange(): void {
    this.#version++;
    this.#options.onChange();
  }

  get #isQuestionShown(): boolean {
    return this.#options.isQuestionShown?.() ?? false;
  }

  get #ticks(): boolean {
    const { busySince, retry, compacting, children, userCommands } = this.#fold;
    const isWorking = busySince !== undefined || retry !== undefined || compacting !== undefined;
    return isWorking || children.running.length > 0 || userCommands.length > 0;
  }

  #view(context: RenderContext, tailRows = TAIL_ROWS[0] as number): ItemView {
    return {
      ...context,
      now: this.#options.now(),
      thinking: this.#thinking,
      expanded: this.#expanded,
      expandKey: this.#options.expandKey ?? "ctrl+o",
      backgroundKey: this.#options.backgroundKey,
      cwd: this.#options.cwd?.(),
      tailRows,
    };
  }

  #liveRows(context: RenderContext): readonly Row[] {
    const room = Math.max(3, context.rows - ROWS_OF_OTHERS);
    let rows: Row[] = [];
    for (const tailRows of TAIL_ROWS) {
      rows = this.#allLiveRows(this.#view(context, tailRows));
      if (rows.length <= room) return rows;
    }
    const hidden = rows.length - room + 1;
    return [{ spans: [dim(`${context.symbols.ellipsis} ${hidden} more rows above`)] }, ...rows.slice(hidden)];
  }

  #allLiveRows(view: ItemView): Row[] {
    const rows: Row[] = [];
    let last = this.#last;
    let isContinued = this.#begun !== undefined && this.#begun === this.#fold.blocks[0];
    const add = (made: readonly Row[], shape: Shape): void => {
      if (made.length === 0) return;
      if (!isContinued && this.#wantsGap(last, shape)) rows.push(EMPTY_ROW);
      rows.push(...made);
      last = shape;
      isContinued = false;
    };
    for (let at = 0; at < this.#fold.blocks.length; ) {
      const unit = this.#unitAt(at) as Unit;
      const made = this.#isQuestionShown && unit.blocks.some(isAsking) ? [] : unit.rows(view);
      add(made, shapeOf(unit, made));
      isContinued = false;
      at += unit.blocks.length;
    }
    if (!this.#options.areAgentsShown?.())
      for (const child of this.#fold.children.running) add([childRow(child, view)], "line");
    add(statusRows(this.#fold, view), "line");
    add(this.#userCommandRows(view), "block");
    return rows;
  }

  #userCommandRows(view: ItemView): readonly Row[] {
    const rows = this.#fold.userCommands.flatMap((command) => command.rows(view));
    const { commandHint } = this.#options;
    if (rows.length === 0 || commandHint === undefined) return rows;
    return [...rows, oneRow(view, [{ text: INDENT }], commandHint, { color: "dim" })];
  }

  /** Blocks that are shown together: consecutive reads and searches. */
  #unitAt(at: number): Unit | undefined {
    const { blocks } = this.#fold;
    const block = blocks[at];
    if (!block) return undefined;
    let end = at + 1;
    if (isExplored(block) && !this.#expanded) {
      for (let next = end; next < blocks.length && this.#joins(blocks[next] as Block); next++)
        if (isExplored(blocks[next] as Block)) end = next + 1;
    }
    return unitOf(blocks.slice(at, end));
  }

  /** Thinking between two reads is left out of their line. */
  #joins(block: Block): boolean {
    return isExplored(block) || (block.isDone && block.item === undefined) || this.#isFoldedThought(block);
  }

  #isFoldedThought = (block: Block): boolean => block instanceof ThinkingBlock && this.#thinking !== "shown";

  #mayGrow(unit: Unit): boolean {
    if (this.#fold.busySince === undefined || !unit.blocks.some(isExplored) || this.#expanded) return false;
    return this.#fold.blocks.slice(unit.blocks.length).every((block) => this.#joins(block) || isPending(block));
  }

  /** At most one blank row between blocks, none between calls of one row each, none above a picture. */
  #wantsGap(last: "nothing" | Shape, next: Shape): boolean {
    return last !== "nothing" && next !== "picture" && !(last === "line" && next === "line");
  }

  #keep(blocks: readonly Block[]): void {
    for (const { item } of blocks)
      if (item) this.#kept.push(item.kind === "picture" ? { kind: "picture", text: item.text } : item);
    if (this.#kept.length > KEPT_ITEMS) this.#kept = this.#kept.slice(-KEPT_ITEMS);
  }
}

type Shape = "line" | "block" | "picture";

interface Unit {
  readonly blocks: readonly Block[];
  readonly isDone: boolean;
  readonly kind: Item["kind"] | undefined;
  rows(view: ItemView): readonly Row[];
}

function unitOf(blocks: readonly Block[]): Unit {
  const calls = (): CallItem[] => blocks.flatMap(({ item }) => (item?.kind === "call" ? item : []));
  return {
    blocks,
    isDone: blocks.every(({ isDone }) => isDone),
    kind: blocks[0]?.kind,
    rows: (view) => (blocks.length > 1 ? exploredRows(calls(), view) : (blocks[0]?.rows(view) ?? [])),
  };
}

const isExplored = (block: Block): boolean => block instanceof CallBlock && block.group === "explored";
const isAsking = (block: Block): boolean => block instanceof CallBlock && block.isAsking;
const isPending = (block: Block): boolean => block instanceof CallBlock && block.isPending;

function takeRows(block: Block, view: ItemView): readonly Row[] {
  return block.take?.(view) ?? [];
}

const ONE_LINERS: ReadonlySet<Item["kind"] | undefined> = new Set(["call", "child"]);

const shapeOf = ({ kind }: Pick<Unit, "kind">, rows: readonly Row[]): Shape =>
  kind === "picture" ? "picture" : rows.length === 1 && ONE_LINERS.has(kind) ? "line" : "block";

/** Past items, grouped as live ones are. */
function* foldedUnits(items: Iterable<Item>): IterableIterator<Pick<Unit, "kind" | "rows">> {
  let explored: CallItem[] = [];
  const flush = function* (): IterableIterator<Pick<Unit, "kind" | "rows">> {
    const calls = explored;
    explored = [];
    if (calls.length > 0) yield { kind: "call", rows: (view) => exploredRows(calls, view) };
  };
  for (const item of items) {
    if (item.kind === "call" && item.card.group === "explored") explored.push(item);
    else if (item.kind === "thinking" && explored.length > 0) continue;
    else {
      yield* flush();
      yield { kind: item.kind, rows: (view) => itemRows(item, view) };
    }
  }
  yield* flush();
}
