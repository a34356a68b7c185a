// Each kind of item as rows, at any width, collapsed or expanded.

import {
  drawsType,
  elapsedTime,
  pictureSize,
  type Row,
  renderMarkdown,
  type Style,
  visible,
  visibleLine,
  widthOf,
  wrap,
} from "@lathe/tui";
import { dollars, tokens } from "../../../sessions/numbers.ts";
import { hiddenRow } from "./body-rows.ts";
import { callRows } from "./call-rows.ts";
import { durationText } from "./duration-text.ts";
import type {
  ChildItem,
  CompactionItem,
  Item,
  NoteItem,
  NoteKind,
  PictureItem,
  ThinkingItem,
  TurnItem,
  UserItem,
} from "./item.ts";
import { dim, hangRows, INDENT, type ItemView, oneRow, SEPARATOR, span } from "./view.ts";

/** The most rows shown of a user's message, which may be a long paste. */
const USER_ROWS = 12;

export function itemRows(item: Item, view: ItemView): readonly Row[] {
  switch (item.kind) {
    case "user":
      return userRows(item, view);
    case "picture":
      return [pictureRow(item, view)];
    case "text":
      return renderMarkdown(item.text, view.columns, view);
    case "thinking":
      return thinkingRows(item, view);
    case "call":
      return callRows(item, view);
    case "note":
      return noteRows(item, view);
    case "compaction":
      return compactionRows(item, view);
    case "turn":
      return [turnRow(item, view)];
    case "child":
      return [childRow(item, view)];
  }
}

const HOW: Readonly<Record<UserItem["how"], string>> = { sent: "", steered: "while it worked", queued: "queued" };

function userRows({ text, how, attached }: UserItem, view: ItemView): Row[] {
  const fill = "userMessageBg";
  const lead = [span(view.symbols.prompt, { color: "accent", background: fill }), span(" ", { background: fill })];
  const rest = [span(INDENT, { background: fill })];
  const style: Style = { color: "userMessageText", background: fill };
  const rows = wrap([span(visible(text).trim(), style)], view.columns, { first: lead, rest, fill });
  const notes = [HOW[how], ...attached.map((name) => `with ${name}`)].filter((note) => note !== "").join(", ");
  const marks = notes === "" ? [] : [oneRow(view, [{ text: INDENT }], notes, { color: "dim" })];
  if (view.expanded || rows.length <= USER_ROWS + 1) return [...rows, ...marks];
  return [...rows.slice(0, USER_ROWS), ...hiddenRow(rows.length - USER_ROWS, "more", view), ...marks];
}

const TYPE_NAMES = { png: "PNG", jpeg: "JPEG", gif: "GIF", webp: "WebP" } as const;

/** The row is shown if the picture cannot be drawn. */
function pictureRow({ text, file }: PictureItem, view: ItemView): Row {
  const { pictures = "none" } = view;
  const type = file === undefined ? undefined : pictureSize(file)?.type;
  const isRefused = pictures !== "none" && type !== undefined && !drawsType(pictures, type);
  const why = isRefused ? `; not drawn: this terminal takes PNG, not ${TYPE_NAMES[type]}` : "";
  const made = oneRow(view, [{ text: INDENT }], `[picture ${text}${why}]`, { color: "dim" });
  return file === undefined ? made : { ...made, picture: file };
}

function thinkingRows({ text, tookMs }: ThinkingItem, view: ItemView): readonly Row[] {
  if (view.expanded || view.thinking === "shown") return thoughtRows(text.trimEnd(), view);
  if (view.thinking === "hidden") return [];
  return [{ spans: [dim(tookMs === undefined || tookMs < 1000 ? "Thought" : `Thought for ${durationText(tookMs)}`)] }];
}

export function thoughtRows(text: string, view: ItemView): Row[] {
  return wrap([span(visible(text), { color: "thinkingText", italic: true })], view.columns);
}

const NOTE_STYLES: Readonly<Record<NoteKind, Style>> = {
  info: { color: "muted" },
  warning: { color: "warning" },
  error: { color: "error" },
  decision: { color: "dim" },
};

function noteRows({ text, note }: NoteItem, view: ItemView): Row[] {
  const { symbols } = view;
  const mark = { info: "", warning: symbols.warning, error: symbols.failure, decision: symbols.bullet }[note];
  const lead = mark === "" ? [] : [span(mark, NOTE_STYLES[note]), { text: " " }];
  return hangRows(view, [span(visible(text).trimEnd(), NOTE_STYLES[note])], lead);
}

function compactionRows({ tokensBefore, tokensAfter, summary }: CompactionItem, view: ItemView): Row[] {
  const sizes = `${tokens(tokensBefore)}${tokensAfter === undefined ? "" : ` ${view.symbols.arrowRight} ${tokens(tokensAfter)}`} tokens`;
  const more = summary === undefined || view.expanded ? "" : ` (${view.expandKey} shows the summary)`;
  const title = `Earlier messages summarized, ${sizes}${more}`;
  const rule = view.symbols.ruleHorizontal;
  const before = `${rule.repeat(2)} `;
  const free = view.columns - widthOf(before) - widthOf(title) - 1;
  const end = span(free > 0 ? ` ${rule.repeat(free)}` : "", { color: "borderMuted" });
  const divider = oneRow(view, [span(before, { color: "borderMuted" })], title, { color: "muted" }, [end]);
  const text = view.expanded ? summary?.() : undefined;
  return text === undefined ? [divider] : [divider, ...renderMarkdown(text, view.columns, view)];
}

/** If not everything fits, it omits the tokens first, then the model, then the price. */
function turnRow({ model, tookMs, tokensIn, tokensCached, tokensOut, cost }: TurnItem, view: ItemView): Row {
  const name = visibleLine(model.slice(model.indexOf("/") + 1));
  const cached = tokensCached > 0 ? ` (${tokens(tokensCached)} cached)` : "";
  const price = cost > 0 ? dollars(cost) : "";
  const candidates = [
    [name, durationText(tookMs), `${tokens(tokensIn)} in${cached}, ${tokens(tokensOut)} out`, price],
    [name, durationText(tookMs), price],
    [durationText(tookMs), price],
  ].map((parts) => parts.filter((part) => part !== "").join(SEPARATOR));
  const fitting = candidates.find((text) => widthOf(text) <= view.columns);
  return oneRow(view, [], fitting ?? durationText(tookMs), { color: "dim" });
}

/** An agent in one line: its state, cost and activity. */
export function childRow(item: ChildItem, view: ItemView): Row {
  const { symbols } = view;
  const marks = {
    running: span(symbols.running, { color: "accent" }),
    done: span(symbols.success, { color: "success" }),
    failed: span(symbols.failure, { color: "error" }),
  };
  const time = item.state === "running" ? elapsedTime(view.now - item.since) : `took ${durationText(item.tookMs ?? 0)}`;
  const facts = [visibleLine(item.agentId), time, ...(item.cost > 0 ? [dollars(item.cost)] : [])];
  const lead = [marks[item.state], { text: " " }, span(facts.join(SEPARATOR), { color: "muted" }), { text: "  " }];
  const text =
    item.state === "running" && item.last !== "" ? `${item.task} ${symbols.arrowRight} ${item.last}` : item.task;
  return oneRow(view, lead, visibleLine(text), { color: "text" });
}
