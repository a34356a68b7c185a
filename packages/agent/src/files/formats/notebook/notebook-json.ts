// The JSON of a notebook: parses its cells, and writes the same JSON with other cells. What is not changed keeps its
// bytes: outputs, metadata, ids, key order, indentation and the end of the file.

import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { isJsonObject, parseJson } from "@lathe/llm";
import type { CellType, TextCell } from "./cells-text.ts";
import { itemSpans, memberSpans, type Span, valueSpan } from "./json-spans.ts";

export interface Notebook {
  readonly json: string;
  readonly cells: readonly Cell[];
  readonly cellsSpan: Span;
  /** Cells have ids since version 4.5. */
  readonly hasIds: boolean;
}

interface Cell {
  readonly type: CellType;
  readonly source: string;
  readonly span: Span;
  readonly sourceSpan: Span;
  readonly isList: boolean;
  readonly id?: string | undefined;
}

type JsonRecord = Readonly<Record<string, unknown>>;

/** Undefined if the bytes are not a version 4 notebook. */
export function parseNotebook(bytes: Uint8Array): Notebook | undefined {
  if (!isUtf8(bytes)) return undefined;
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const value = parseJson(json.replace(/^\ufeff/, ""));
  if (!isJsonObject(value) || value["nbformat"] !== 4 || !Array.isArray(value["cells"])) return undefined;
  const cellsSpan = memberSpans(json, valueSpan(json, 0)).get("cells") as Span;
  const spans = itemSpans(json, cellsSpan);
  const cells = value["cells"].map((cell, index) => parseCell(json, cell, spans[index] as Span));
  if (!cells.every((cell) => cell !== undefined)) return undefined;
  const minor = value["nbformat_minor"];
  return { json, cells, cellsSpan, hasIds: typeof minor === "number" && minor >= 5 };
}

function parseCell(json: string, cell: unknown, span: Span): Cell | undefined {
  if (!isJsonObject(cell)) return undefined;
  const { cell_type: type, source, id } = cell;
  if (type !== "code" && type !== "markdown" && type !== "raw") return undefined;
  const isList = Array.isArray(source);
  if (!(typeof source === "string" || (isList && source.every((line) => typeof line === "string")))) return undefined;
  return {
    type,
    source: isList ? source.join("") : source,
    span,
    sourceSpan: memberSpans(json, span).get("source") as Span,
    isList,
    ...(typeof id === "string" ? { id } : {}),
  };
}

/** The notebook's JSON with these cells. The second use of a number means a new cell. */
export function withCells(notebook: Notebook, wanted: readonly TextCell[]): string {
  const { json, cells, cellsSpan } = notebook;
  const style = styleOf(json);
  const ids = new Set(cells.flatMap(({ id }) => (id === undefined ? [] : [id])));
  const used = new Set<number>();
  const written = wanted.map((cell) => {
    const old = cell.number === undefined || used.has(cell.number) ? undefined : cells[cell.number];
    if (!old) return newCell(notebook, cell, style, ids);
    used.add(cell.number as number);
    if (old.type !== cell.type) return convertCell(json, old, cell, style);
    // Text cannot show a lone surrogate of the JSON; a cell that comes back as it was shown is unchanged.
    if (wellFormed(old.source) === cell.source) return json.slice(old.span.start, old.span.end);
    const source = indentJson(old.isList ? sourceLines(cell.source) : cell.source, style, 3);
    return json.slice(old.span.start, old.sourceSpan.start) + source + json.slice(old.sourceSpan.end, old.span.end);
  });
  return json.slice(0, cellsSpan.start) + arrayOf(notebook, written, style) + json.slice(cellsSpan.end);
}

/** Keeps the text between cells. */
function arrayOf({ json, cells, cellsSpan }: Notebook, written: readonly string[], style: Style): string {
  const [first, second] = cells;
  const last = cells.at(-1);
  if (written.length === 0) return "[]";
  const newLine = (depth: number) => (style.indent === undefined ? "" : `\n${style.indent.repeat(depth)}`);
  const open = first ? json.slice(cellsSpan.start, first.span.start) : `[${newLine(2)}`;
  const between =
    first && second
      ? json.slice(first.span.end, second.span.start)
      : style.indent === undefined
        ? style.comma
        : `,${newLine(2)}`;
  const close = last ? json.slice(last.span.end, cellsSpan.end) : `${newLine(1)}]`;
  return open + written.join(between) + close;
}

/** Like the notebook's own writer: a list of lines, each with its line end. */
function sourceLines(source: string): string[] {
  return source.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function newCell({ hasIds }: Notebook, { type, source }: TextCell, style: Style, ids: Set<string>): string {
  return indentJson(
    {
      cell_type: type,
      ...(type === "code" ? { execution_count: null } : {}),
      ...(hasIds ? { id: newId(source, ids) } : {}),
      metadata: {},
      ...(type === "code" ? { outputs: [] } : {}),
      source: sourceLines(source),
    },
    style,
    2,
  );
}

/** Derived from the content rather than random, so that what was approved is what is written. */
function newId(source: string, taken: Set<string>): string {
  for (let count = 0; ; count++) {
    const id = createHash("sha256").update(`${count}\0${source}`).digest("hex").slice(0, 8);
    if (taken.has(id)) continue;
    taken.add(id);
    return id;
  }
}

function convertCell(json: string, old: Cell, { type, source }: TextCell, style: Style): string {
  const { id, metadata } = JSON.parse(json.slice(old.span.start, old.span.end)) as JsonRecord;
  return indentJson(
    {
      cell_type: type,
      ...(type === "code" ? { execution_count: null } : {}),
      ...(id === undefined ? {} : { id }),
      metadata,
      ...(type === "code" ? { outputs: [] } : {}),
      source: sourceLines(source),
    },
    style,
    2,
  );
}

interface Style {
  /** Undefined: everything on one line. */
  readonly indent?: string | undefined;
  readonly colon: string;
  readonly comma: string;
  readonly asciiOnly: boolean;
}

function styleOf(json: string): Style {
  const indent = /^\ufeff?\s*\{\r?\n([ \t]*)"/.exec(json)?.[1];
  return {
    indent,
    colon: /"\s*: /.test(json) ? ": " : ":",
    comma: /[\]}"\d], ["[{\d]/.test(json) ? ", " : ",",
    asciiOnly: /\\u(?:00[89a-f]|0[1-9a-f]|[1-9a-f])/i.test(json) && !/[^\0-\x7f\ufeff]/.test(json),
  };
}

function indentJson(value: unknown, style: Style, depth: number): string {
  const text = stringify(value, style, depth);
  if (!style.asciiOnly) return text;
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function stringify(value: unknown, style: Style, depth: number): string {
  if (!Array.isArray(value) && !isJsonObject(value)) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const items = Array.isArray(value)
    ? value.map((item) => stringify(item, style, depth + 1))
    : Object.entries(value).map(
        ([key, item]) => `${JSON.stringify(key)}${style.colon}${stringify(item, style, depth + 1)}`,
      );
  if (items.length === 0) return open + close;
  if (style.indent === undefined) return open + items.join(style.comma) + close;
  const lineOf = (level: number) => `\n${(style.indent as string).repeat(level)}`;
  return `${open}${lineOf(depth + 1)}${items.join(`,${lineOf(depth + 1)}`)}${lineOf(depth)}${close}`;
}

const wellFormed = (text: string): string => Buffer.from(text).toString("utf8");

/** A new notebook, as version 4.5 writes an empty one. */
export const EMPTY_NOTEBOOK = '{\n "cells": [],\n "metadata": {},\n "nbformat": 4,\n "nbformat_minor": 5\n}\n';
