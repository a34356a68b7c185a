// The rows below the headline of a card: output, a list, a diff or written text. They are collapsed to a few rows, and
// hidden ones are counted.

import type { CardBody, CardLine } from "@lathe/agent";
import { diffRows, type Row, renderMarkdown, type Span, visible, wrap } from "@lathe/tui";
import { countOf } from "../../../sessions/numbers.ts";
import type { CallItem } from "./item.ts";
import { dim, INDENT, type ItemView, oneRow, span, withoutFolder } from "./view.ts";

export function bodyRows(item: CallItem, view: ItemView): Row[] {
  const { body } = item.card;
  if (!body || item.state === "waiting") return [];
  switch (body.kind) {
    case "output":
      return item.state === "running" ? liveRows(item, view) : outputRows(body, item, view);
    case "lines":
      return listRows(body, view);
    case "diff":
      return body.files.flatMap((file) => fileRows(file, body, view));
    case "markdown":
      return collapsedRows(
        indentRows(renderMarkdown(body.text, view.columns - INDENT.length, view)),
        body.collapsed,
        view,
      );
  }
}

type Body<K extends CardBody["kind"]> = Extract<CardBody, { kind: K }>;

function liveRows({ live }: CallItem, view: ItemView): Row[] {
  if (!live || view.tailRows === 0) return [];
  const lines = live.lines.slice(-view.tailRows);
  return [...hiddenRow(live.total - lines.length, "earlier", view), ...lines.map((line) => outputRow(line, view))];
}

function outputRows({ text, keeps, collapsed }: Body<"output">, { state, live }: CallItem, view: ItemView): Row[] {
  // A call that was cut short has no other output.
  const lines = visible(text === "" ? (live?.lines.join("\n") ?? "") : text)
    .trimEnd()
    .split("\n");
  if (lines.join("") === "") return [];
  if (view.expanded) return lines.flatMap((line) => wrapLine(line, view));
  const isTail = keeps === "tail";
  const shown = isTail ? lines.slice(-collapsed) : lines.slice(0, collapsed);
  // The model may have got a shortened output; the count is of what was printed.
  const hidden = Math.max(lines.length, live?.total ?? 0) - shown.length;
  // The reason of a failure is wrapped, so that it can be read in full.
  if (state === "failed" && !isTail)
    return collapsedRows(
      shown.flatMap((line) => wrapLine(line, view, "error")),
      2 * collapsed,
      view,
    );
  const rows = shown.map((line) => outputRow(line, view));
  const more = hiddenRow(hidden, isTail ? "earlier" : "more", view);
  return isTail ? [...more, ...rows] : [...rows, ...more];
}

const outputRow = (line: string, view: ItemView): Row =>
  oneRow(view, [{ text: INDENT }], line, { color: "toolOutput" });

function wrapLine(line: string, view: ItemView, color = "toolOutput"): Row[] {
  const lead = [{ text: INDENT }];
  return wrap([span(line, { color })], view.columns, { first: lead, rest: lead, anywhere: color === "toolOutput" });
}

function listRows({ lines: all, brief, collapsed }: Body<"lines">, view: ItemView): Row[] {
  const lines = view.expanded ? all : (brief ?? all);
  const rows = lines.map((line) => listRow(line, view));
  if (view.expanded || lines.length <= collapsed) return rows;
  // The visible part shows the current step and the steps just before it.
  const current = lines.findIndex(({ kind }) => kind === "current");
  const first = Math.max(0, Math.min((current < 0 ? 0 : current) - 2, lines.length - collapsed));
  const last = first + collapsed;
  return [
    ...hiddenRow(first, "earlier", view),
    ...rows.slice(first, last),
    ...hiddenRow(lines.length - last, "more", view),
  ];
}

function listRow({ text, kind }: CardLine, view: ItemView): Row {
  const { symbols } = view;
  const lead = (mark: string, color: string): Span[] => [{ text: INDENT }, span(mark, { color }), { text: " " }];
  switch (kind) {
    case "done":
      return oneRow(view, lead(symbols.checked, "success"), text, { color: "muted" });
    case "current":
      return oneRow(view, lead(symbols.pointer, "accent"), text, { color: "text", bold: true });
    case "open":
      return oneRow(view, lead(symbols.unchecked, "dim"), text, { color: "text" });
    case "dropped":
      return oneRow(view, lead(symbols.failure, "dim"), text, { color: "dim", strike: true });
    case "heading":
      return oneRow(view, [{ text: INDENT }], text, { color: "muted", bold: true });
    default:
      return oneRow(view, [{ text: INDENT }], text, { color: kind === "note" ? "dim" : "text" });
  }
}

function fileRows(file: Body<"diff">["files"][number], { files, collapsed }: Body<"diff">, view: ItemView): Row[] {
  const path = view.cwd === undefined ? file.path : withoutFolder(file.path, view.cwd);
  const name = files.length > 1 ? [oneRow(view, [{ text: INDENT }], path, { color: "muted", bold: true })] : [];
  const rows = indentRows(
    diffRows(file.diff, view.columns - INDENT.length, { wordMarks: true, symbols: view.symbols }),
  );
  return [...name, ...collapsedRows(rows, Math.max(4, Math.ceil(collapsed / files.length)), view)];
}

const indentRows = (rows: readonly Row[]): Row[] =>
  rows.map((made) => ({ ...made, spans: [{ text: INDENT }, ...made.spans] }));

function collapsedRows(rows: readonly Row[], most: number, view: ItemView): Row[] {
  if (view.expanded || rows.length <= most + 1) return [...rows];
  return [...rows.slice(0, most), ...hiddenRow(rows.length - most, "more", view)];
}

export function hiddenRow(count: number, which: "earlier" | "more", view: ItemView): Row[] {
  if (count <= 0) return [];
  return [{ spans: [dim(`${INDENT}${view.symbols.ellipsis} ${countOf(count, `${which} line`)} (${view.expandKey})`)] }];
}
