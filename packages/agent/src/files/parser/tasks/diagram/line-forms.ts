// The lines that the drawing library understands in other kinds of diagrams. The library skips other lines silently, so
// we refuse a line of unknown form with its number. Pattern groups named `a` and `b` capture names that must appear in
// the drawing.

import { CannotParse } from "../types.ts";

interface Kind {
  readonly header: RegExp;
  readonly forms: readonly RegExp[];
  /** Forms inside braces opened by these forms, until a line with the closing brace. */
  readonly body?: { readonly opens: RegExp; readonly forms: readonly RegExp[] };
}

const KINDS: readonly Kind[] = [
  {
    header: /^sequenceDiagram$/i,
    forms: [
      /^(?:participant|actor)\s+\S+\s+as\s+(?<a>.+)$/,
      /^(?:participant|actor)\s+(?<a>\S+)$/,
      /^Note\s+(?:left of|right of|over)\s+[^:]+:\s*\S.*$/i,
      /^(?:loop|alt|opt|par|critical|break|rect|else|and|activate|deactivate|autonumber|title)\b/,
      /^end$/,
      /^\S+?\s*(?:--?>?>|--?[)x])\s*[+-]?\S+?\s*:\s*(?<a>.+)$/,
    ],
  },
  {
    header: /^stateDiagram(?:-v2)?$/i,
    forms: [
      /^direction\s+(?:TD|TB|LR|BT|RL)$/i,
      /^state\s+"(?<a>[^"]+)"\s+as\s+[\w\p{L}]+\s*\{?$/u,
      /^state\s+(?<a>[\w\p{L}]+)\s*\{$/u,
      /^\}$/,
      /^(?:\[\*\]|[\w\p{L}-]+)\s+-->\s*(?:\[\*\]|[\w\p{L}-]+)(?:\s*:\s*.+)?$/u,
      /^[\w\p{L}-]+\s*:\s*(?<a>.+)$/u,
      /^(?:classDef|class|linkStyle)\b/,
    ],
  },
  {
    header: /^classDiagram$/i,
    forms: [
      /^namespace\s+\S+\s*\{$/,
      /^\}$/,
      /^class\s+(?<a>[^\s~{]+)(?:\s*~\w+~)?$/,
      /^class\s+(?<a>[^\s{]+)\s*\{\s*<<\w+>>\s*\}$/,
      /^(?<a>\S+)\s+(?:"[^"]*"\s+)?(?:<\|--|<\|\.\.|\*--|o--|-->|--\*|--o|--\|>|\.\.>|\.\.\|>|<--|<\.\.|--)\s+(?:"[^"]*"\s+)?(?<b>[^\s:]+)(?:\s*:\s*.+)?$/,
      /^(?<a>[^\s:]+)\s*:\s*.+$/,
    ],
    body: { opens: /^class\s+(?<a>[^\s~{]+)(?:\s*~\w+~)?\s*\{$/, forms: [/^<<\w+>>$/, /^[^{}]+$/] },
  },
  {
    header: /^erDiagram$/i,
    forms: [/^(?<a>\S+)\s+[|o}{]{2}(?:--|\.\.)[|o}{]{2}\s+(?<b>\S+)\s*:\s*.+$/],
    body: { opens: /^(?<a>\S+)\s*\{$/, forms: [/^\S+\s+(?<a>\S+)(?:\s+.+)?$/] },
  },
  {
    header: /^xychart(?:-beta)?(?:\s+horizontal)?$/i,
    forms: [
      /^title\s+"[^"]+"/,
      /^x-axis\s+(?:"[^"]*"\s*)?\[[^\]]+\]/,
      /^[xy]-axis\s+(?:"[^"]*"\s+)?-?\d+(?:\.\d+)?\s*-->\s*-?\d+(?:\.\d+)?/,
      /^y-axis\s+"[^"]+"$/,
      /^(?:bar|line)\s+\[[^\]]+\]/,
    ],
  },
];

export interface LinesOfDiagram {
  readonly text: string;
  /** Names that the drawing must show. */
  readonly names: readonly string[];
}

/** Undefined if the header names none of these kinds. */
export function readLines(text: string, firstLine: number): LinesOfDiagram | undefined {
  const lines = text.split("\n").map((line) => line.trim().replace(/;$/, ""));
  const kind = KINDS.find(({ header }) => header.test(lines[0] ?? ""));
  if (kind === undefined) return undefined;
  const names = new Set<string>();
  let isInBody = false;
  const read = lines.map((line, at) => {
    const spaced = kind.header.source.startsWith("^state") ? line.replace(/\s*-->\s*/, " --> ") : line;
    if (at === 0 || spaced === "") return spaced;
    const opened = isInBody ? null : kind.body?.opens.exec(spaced);
    const forms = isInBody ? [/^\}$/, ...(kind.body?.forms ?? [])] : kind.forms;
    const found = opened ?? forms.map((form) => form.exec(spaced)).find((one) => one !== null);
    if (!found) throw new CannotParse(`line ${firstLine + at}: "${line}" is not understood`);
    if (opened) isInBody = true;
    else if (isInBody && spaced === "}") isInBody = false;
    for (const name of Object.values(found.groups ?? {})) if (name !== undefined) names.add(name.trim());
    return spaced;
  });
  return { text: read.join("\n"), names: [...names] };
}
