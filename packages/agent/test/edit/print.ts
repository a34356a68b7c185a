// Writes an intended change in each dialect, as a model would. Independent of the code under test.

import type { Case, Line, Splice } from "./generate.ts";

export interface Style {
  readonly context: number;
  readonly hint: "none" | "line before" | "first line";
  readonly wrap: "none" | "fence" | "heredoc" | "padded";
  readonly crlf: boolean;
  readonly endOfFile: boolean;
}

interface Group {
  /** Lines of the old text that the hunk shows. */
  readonly from: number;
  readonly to: number;
  readonly splices: readonly Splice[];
}

/** Splices with overlapping contexts share a hunk. */
function groups({ before, splices }: Case, context: number): Group[] {
  const result: { from: number; to: number; splices: Splice[] }[] = [];
  for (const splice of splices) {
    const from = Math.max(0, splice.start - context);
    const to = Math.min(before.length, splice.start + splice.remove + context);
    const last = result.at(-1);
    if (last && last.to >= from) {
      last.to = to;
      last.splices.push(splice);
    } else result.push({ from, to, splices: [splice] });
  }
  return result;
}

interface Row {
  readonly sign: " " | "-" | "+";
  readonly text: string;
  /** Index in the old text, for kept and removed lines. */
  readonly old?: number;
}

function rows(before: readonly Line[], group: Group): Row[] {
  const result: Row[] = [];
  let at = group.from;
  const keep = (to: number) => {
    for (; at < to; at++) result.push({ sign: " ", text: before[at]?.text ?? "", old: at });
  };
  for (const { start, remove, insert } of group.splices) {
    keep(start);
    for (; at < start + remove; at++) result.push({ sign: "-", text: before[at]?.text ?? "", old: at });
    for (const text of insert) result.push({ sign: "+", text });
  }
  keep(group.to);
  return result;
}

export function v4aUpdate(path: string, one: Case, style: Style): string[] {
  const lines = [`*** Update File: ${path}`];
  for (const group of groups(one, style.context)) {
    const hint =
      style.hint === "line before"
        ? one.before[group.from - 1]
        : style.hint === "first line"
          ? one.before[group.from]
          : undefined;
    lines.push(hint ? `@@ ${hint.text}` : "@@");
    lines.push(...rows(one.before, group).map((row) => row.sign + row.text));
    if (style.endOfFile && group.to === one.before.length) lines.push("*** End of File");
  }
  return lines;
}

export function v4a(operations: readonly (readonly string[])[], style: Style): string {
  const pad = style.wrap === "padded" ? "  " : "";
  const lines = [`${pad}*** Begin Patch${pad}`, ...operations.flat(), `*** End Patch${pad}`];
  if (style.wrap === "fence") {
    lines.unshift("```diff");
    lines.push("```");
  }
  if (style.wrap === "heredoc") {
    lines.unshift("apply_patch <<'EOF'");
    lines.push("EOF");
  }
  return lines.join(style.crlf ? "\r\n" : "\n");
}

export function unified(path: string, one: Case, context: number): string {
  const lines = [`--- a/${path}`, `+++ b/${path}`];
  const last = one.before.length - 1;
  const openEnd = one.before.at(-1)?.eol === "";
  let shift = 0;
  for (const group of groups(one, context)) {
    const body = rows(one.before, group);
    const old = body.filter((row) => row.sign !== "+").length;
    const now = body.filter((row) => row.sign !== "-").length;
    const oldStart = old === 0 ? group.from : group.from + 1;
    const newStart = now === 0 ? group.from + shift : group.from + shift + 1;
    lines.push(`@@ -${oldStart},${old} +${newStart},${now} @@`);
    const finalNew = group.to === one.before.length ? body.findLastIndex((row) => row.sign !== "-") : -1;
    for (const [index, row] of body.entries()) {
      lines.push(row.sign + row.text);
      const endsOld = row.old === last;
      if (openEnd && (endsOld || (index === finalNew && row.sign === "+"))) lines.push("\\ No newline at end of file");
    }
    shift += now - old;
  }
  return `${lines.join("\n")}\n`;
}

export function hashline(path: string, tag: string, { before, splices }: Case): string {
  const lines = [`¶${path}#${tag}`];
  for (const { start, remove, insert } of splices) {
    const body = insert.map((text) => `+${text}`);
    if (remove > 0 && insert.length > 0) lines.push(`replace ${start + 1}..${start + remove}:`, ...body);
    else if (remove > 0) lines.push(`delete ${start + 1}..${start + remove}`);
    else if (start === 0) lines.push("insert head:", ...body);
    else if (start === before.length) lines.push("insert tail:", ...body);
    else lines.push(`insert after ${start}:`, ...body);
  }
  return lines.join("\n");
}

/** Old and new text of everything from the first to the last changed line, with context. */
export function oldAndNew({ before, splices }: Case, context: number): { old: string; replacement: string } {
  const first = splices[0] as Splice;
  const last = splices.at(-1) as Splice;
  const from = Math.max(0, first.start - context);
  const to = Math.min(before.length, last.start + last.remove + context);
  const shown = rows(before, { from, to, splices });
  const side = (sign: "-" | "+") => {
    const kept = shown.filter((row) => row.sign !== sign);
    const text = kept.map((row) => `${row.text}\n`).join("");
    // Without a final break, the last line has none to quote; a line that had one keeps it.
    const open = to === before.length && before.at(-1)?.eol === "";
    const last = kept.at(-1);
    return open && last && (last.sign !== " " || last.old === before.length - 1) ? text.slice(0, -1) : text;
  };
  return { old: side("+"), replacement: side("-") };
}

/** A hunk without old lines can only say "after the hint" or "at the end". */
export function expressible(one: Case, style: Style): boolean {
  return groups(one, style.context).every(
    (group) =>
      group.from < group.to ||
      (style.hint === "line before" && (one.before[group.from - 1]?.text.trim() ?? "") !== "") ||
      (group.from === one.before.length && (style.hint === "none" || group.from === 0 || style.endOfFile)),
  );
}
