// The hashline language: sections `¶PATH#TAG`, operations by line number, body rows `+text`. Text in, sections out.

export interface Section {
  readonly path: string;
  readonly tag: string;
  readonly operations: readonly HashOperation[];
}

export type HashOperation = {
  /** Line of the input, for messages. */
  readonly source: number;
} & (
  | { readonly kind: "replace"; readonly first: number; readonly last: number; readonly body: readonly string[] }
  | { readonly kind: "delete"; readonly first: number; readonly last: number }
  | {
      readonly kind: "insert";
      readonly where: "before" | "after";
      readonly line: number;
      readonly body: readonly string[];
    }
  | { readonly kind: "insert"; readonly where: "head" | "tail"; readonly body: readonly string[] }
  | { readonly kind: "replace-block"; readonly line: number; readonly body: readonly string[] }
  | { readonly kind: "delete-block"; readonly line: number }
);

export interface HashlineInput {
  readonly sections: readonly Section[];
  readonly warnings: readonly string[];
}

export class HashlineSyntaxError extends Error {}

const BARE_ROWS = "Some body rows had no leading +; they were taken as text. Write every body row as +text.";

interface Open {
  readonly source: number;
  readonly header: Header;
  readonly body: string[];
  /** Empty rows that belong to the body only if another body row follows. */
  gap: number;
}

type Header =
  | { readonly kind: "replace" | "delete"; readonly first: number; readonly last: number }
  | { readonly kind: "replace-block" | "delete-block"; readonly line: number }
  | { readonly kind: "insert"; readonly where: "before" | "after"; readonly line: number }
  | { readonly kind: "insert"; readonly where: "head" | "tail" };

export function parseHashline(input: string): HashlineInput {
  const sections: { path: string; tag: string; operations: HashOperation[] }[] = [];
  const warnings = new Set<string>();
  let open: Open | undefined;
  const close = () => {
    if (open) sections.at(-1)?.operations.push(finish(open));
    open = undefined;
  };
  for (const [index, line] of input.split(/\r\n|\r|\n/).entries()) {
    const source = index + 1;
    const trimmed = line.trim();
    if (/^\*\*\* (?:Begin|End) Patch$/.test(trimmed)) continue;
    if (trimmed === "*** Abort") break;
    if (trimmed.startsWith("¶")) {
      close();
      sections.push({ ...sectionHeader(trimmed, source), operations: [] });
      continue;
    }
    if (sections.length === 0) {
      if (trimmed === "") continue;
      throw new HashlineSyntaxError(
        `The input must begin with "¶PATH#TAG" as shown by the last read or edit of the file; got ${quote(line)}.`,
      );
    }
    if (open && line.startsWith("+")) {
      addRow(open, line.slice(1));
      continue;
    }
    const header = operationHeader(trimmed, source);
    if (header) {
      close();
      open = { source, header, body: [], gap: 0 };
      continue;
    }
    if (trimmed === "") {
      if (open && open.body.length > 0) open.gap++;
      continue;
    }
    refuseForeign(trimmed, source);
    if (!open) {
      throw new HashlineSyntaxError(
        `line ${source}: this row has no operation above it. Write \`replace N..M:\`, \`delete N..M\` or \`insert before|after|head|tail:\` first. Got ${quote(line)}.`,
      );
    }
    if (/^\d+:/.test(trimmed)) {
      throw new HashlineSyntaxError(
        `line ${source}: the row begins with a line number copied from a read. Write only the text, as +text.`,
      );
    }
    warnings.add(BARE_ROWS);
    addRow(open, line);
  }
  close();
  if (sections.length === 0) {
    throw new HashlineSyntaxError(
      'The input must begin with "¶PATH#TAG" as shown by the last read or edit of the file.',
    );
  }
  for (const section of sections) {
    if (section.operations.length === 0)
      throw new HashlineSyntaxError(`¶${section.path}: the section has no operation.`);
  }
  return { sections, warnings: [...warnings] };
}

function addRow(open: Open, text: string): void {
  for (; open.gap > 0; open.gap--) open.body.push("");
  open.body.push(text);
}

/** Tolerates keywords of the apply_patch language around the path. */
function sectionHeader(line: string, source: number): { path: string; tag: string } {
  const rest = line
    .slice(1)
    .replace(/^[\s*]*(?:(?:Update|Add) File:)?\s*/, "")
    .replace(/[\s*]+$/, "");
  const [, path, tag] = /^(.+)#([0-9A-Fa-f]{4})$/.exec(rest) ?? [];
  if (path && tag) return { path: path.trim(), tag: tag.toUpperCase() };
  const bare = rest.replace(/#.*$/, "") || "PATH";
  throw new HashlineSyntaxError(
    `line ${source}: the tag of ${bare} is missing or not four hex digits. Copy the whole header ¶${bare}#TAG from the last read or edit.`,
  );
}

const range = String.raw`(\d+)(?:\s*(?:\.\.\.?|-|\u2026|\s)\s*(\d+))?`;
const forms: readonly (readonly [RegExp, (numbers: readonly (number | undefined)[], text: string) => Header])[] = [
  [/^replace\s+block\s+(\d+)\s*:?$/i, ([line]) => ({ kind: "replace-block", line: line as number })],
  [/^delete\s+block\s+(\d+)$/i, ([line]) => ({ kind: "delete-block", line: line as number })],
  [
    new RegExp(String.raw`^(?:replace)\s+${range}\s*:?$`, "i"),
    ([first, last]) => ({ kind: "replace", first: first as number, last: last ?? (first as number) }),
  ],
  [
    new RegExp(String.raw`^(?:delete)\s+${range}$`, "i"),
    ([first, last]) => ({ kind: "delete", first: first as number, last: last ?? (first as number) }),
  ],
  [
    /^insert\s+(?:before|after)\s+(\d+)\s*:?$/i,
    ([line], text) => ({ kind: "insert", where: /before/i.test(text) ? "before" : "after", line: line as number }),
  ],
  [/^insert\s+(?:head|tail)\s*:?$/i, (_, text) => ({ kind: "insert", where: /head/i.test(text) ? "head" : "tail" })],
];

function operationHeader(line: string, source: number): Header | undefined {
  if (/^delete\s+(?:block\s+)?\d.*:$/i.test(line)) {
    throw new HashlineSyntaxError(
      `line ${source}: \`${line}\` takes no body and no colon. To put other text there, use \`replace\`.`,
    );
  }
  for (const [pattern, build] of forms) {
    const found = pattern.exec(line);
    if (!found) continue;
    const numbers = found.slice(1).map((digits) => (digits === undefined ? undefined : Number(digits)));
    const header = build(numbers, line);
    if ("last" in header && header.last < header.first) {
      throw new HashlineSyntaxError(`line ${source}: the range ${header.first}..${header.last} ends before it starts.`);
    }
    return header;
  }
  return undefined;
}

function refuseForeign(line: string, source: number): void {
  if (line.startsWith("-")) {
    throw new HashlineSyntaxError(
      `line ${source}: rows that begin with - are not supported; the range already names the lines to remove. For text that begins with -, write +-text.`,
    );
  }
  if (line.startsWith("@@")) {
    throw new HashlineSyntaxError(`line ${source}: "@@" headers are not supported. Write \`replace N..M:\` instead.`);
  }
  if (/^\*\*\* /.test(line)) {
    throw new HashlineSyntaxError(
      `line ${source}: ${quote(line)} belongs to another patch language. A section begins with ¶PATH#TAG and holds \`replace\`, \`delete\` and \`insert\`.`,
    );
  }
  if (new RegExp(`^${range}:?$`).test(line)) {
    throw new HashlineSyntaxError(
      `line ${source}: ${quote(line)} has no verb. Write \`replace N..M:\` or \`delete N..M\`.`,
    );
  }
}

function finish({ source, header, body }: Open): HashOperation {
  if (header.kind === "delete" || header.kind === "delete-block") {
    if (body.length === 0) return { source, ...header } as HashOperation;
    throw new HashlineSyntaxError(
      `line ${source}: a delete takes no body rows. Remove them, or use \`replace\` to put them there.`,
    );
  }
  if (body.length === 0) {
    const remove = header.kind === "insert" ? "" : " To remove lines, use `delete`.";
    throw new HashlineSyntaxError(`line ${source}: the operation needs at least one +text row below it.${remove}`);
  }
  return { source, ...header, body } as HashOperation;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
