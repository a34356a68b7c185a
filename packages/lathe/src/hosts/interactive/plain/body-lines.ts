// What a finished call printed or changed, as append-only lines: the end of its output, or its changes.

import type { Card } from "@lathe/agent";
import { plainOutput } from "@lathe/agent/tools";
import type { LineStyle } from "../host-view.ts";

interface BodyLine {
  readonly text: string;
  readonly style?: LineStyle;
}

const MOST_OUTPUT = 10;
const MOST_CHANGES = 60;
const LONGEST_LINE = 500;
const INDENT = "    ";

export function bodyLines({ body }: Card): readonly BodyLine[] {
  if (body?.kind === "output") return ends(plainOutput(body.text).trimEnd().split("\n"), MOST_OUTPUT, body.keeps);
  if (body?.kind !== "diff") return [];
  const lines = body.files.flatMap(({ path, diff }) => [
    ...(body.files.length > 1 ? [path] : []),
    ...diff.trimEnd().split("\n"),
  ]);
  return ends(lines, MOST_CHANGES, "head").map((line) => ({ ...line, ...styleOf(line.text) }));
}

function ends(lines: readonly string[], most: number, keeps: "head" | "tail"): BodyLine[] {
  if (lines.join("") === "") return [];
  const kept = keeps === "tail" ? lines.slice(-most) : lines.slice(0, most);
  const shown: BodyLine[] = kept.map((line) => ({ text: `${INDENT}${line.slice(0, LONGEST_LINE)}` }));
  const hidden = lines.length - kept.length;
  if (hidden === 0) return shown;
  const which = keeps === "tail" ? "earlier" : "more";
  const rest: BodyLine = { text: `${INDENT}… ${hidden} ${which} ${hidden === 1 ? "line" : "lines"}`, style: "dim" };
  return keeps === "tail" ? [rest, ...shown] : [...shown, rest];
}

function styleOf(line: string): Pick<BodyLine, "style"> {
  const sign = line.slice(INDENT.length, INDENT.length + 1);
  return sign === "+" ? { style: "green" } : sign === "-" ? { style: "red" } : {};
}
