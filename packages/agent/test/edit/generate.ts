// Random files, random line edits of them and the text they should give. Written from the rules alone: nothing here calls the
// parsers, printers or matchers under test.

import fc from "fast-check";

export interface Line {
  readonly text: string;
  /** Empty only for a last line without break. */
  readonly eol: string;
}

export interface Splice {
  readonly start: number;
  readonly remove: number;
  readonly insert: readonly string[];
}

export interface Case {
  readonly before: readonly Line[];
  /** In file order, never touching each other. */
  readonly splices: readonly Splice[];
}

const fragments = [
  "",
  "a",
  "b",
  "  a",
  "\ta",
  "    return a;",
  "{",
  "}",
  "  }",
  "def f():",
  "trail  ",
  "say “hi” – now",
  'say "hi" - now',
  "日本語",
  "𝒳 = ü",
  "$& $1 $$",
  "+plus",
  "-minus",
  "--- a",
  "+++ b",
  "@@ x",
  "*** End Patch",
  "*** Update File: a.txt",
  "¶a.txt#0000",
  "replace 1..1:",
  "back\\nslash",
  "nbsp\u00a0here",
  "ls\u2028sep",
];

export const lineText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...fragments) },
  { weight: 3, arbitrary: fc.nat(500).map((n) => `line ${n}`) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replace(/[\r\n\0]/g, "")) },
);

const endingStyle = fc.constantFrom("\n", "\r\n", "\r", "mixed");

export function fileLines(options: {
  readonly max: number;
  readonly style?: fc.Arbitrary<string>;
}): fc.Arbitrary<Line[]> {
  return fc
    .tuple(
      fc.array(fc.tuple(lineText, fc.constantFrom("\n", "\r\n", "\r")), { maxLength: options.max }),
      options.style ?? endingStyle,
      fc.boolean(),
    )
    .map(([rows, style, terminated]) => {
      const lines = rows.map(([text, eol]) => ({ text, eol: style === "mixed" ? eol : style }));
      const last = lines.at(-1);
      if (last && !terminated && last.text !== "") lines[lines.length - 1] = { text: last.text, eol: "" };
      return parsable(lines);
    });
}

/** Without lone carriage returns that would fuse with a following line feed. */
function parsable(lines: readonly Line[]): Line[] {
  return lines.map((line, index) => {
    const next = lines[index + 1];
    return line.eol === "\r" && next?.text === "" && next.eol === "\n" ? { ...line, eol: "\r\n" } : line;
  });
}

export function textOf(lines: readonly Line[]): string {
  return lines.map((line) => line.text + line.eol).join("");
}

/** Each splice leaves at least `gap` untouched lines before the next. */
export function splicesFor(count: number, gap: number, most: number): fc.Arbitrary<Splice[]> {
  return fc
    .array(fc.tuple(fc.nat(count), fc.nat(3), fc.array(lineText, { maxLength: 3 })), { minLength: 1, maxLength: most })
    .map((raw) => {
      const splices: Splice[] = [];
      let free = 0;
      for (const [at, length, insert] of [...raw].sort((a, b) => a[0] - b[0])) {
        const start = Math.max(at, free);
        const remove = Math.min(length, count - start);
        if (start > count || (remove === 0 && insert.length === 0)) continue;
        splices.push({ start, remove, insert });
        free = start + remove + gap;
      }
      return splices.length > 0 ? splices : [{ start: 0, remove: 0, insert: ["fresh"] }];
    });
}

export function cases(options: {
  max: number;
  gap: number;
  most: number;
  style?: fc.Arbitrary<string>;
}): fc.Arbitrary<Case> {
  return fileLines(options).chain((before) =>
    splicesFor(before.length, options.gap, options.most).map((splices) => ({ before, splices })),
  );
}

/**
 * A replaced line keeps its ending; an added one has its predecessor's. At the end of a file without a final break,
 * line-based dialects keep it that way; those that quote text literally give a kept line its break.
 */
export function intended({ before, splices }: Case, dialect: "lines" | "literal" = "lines"): string {
  const result: { text: string; eol: string }[] = [];
  const fallback = before[0]?.eol || "\n";
  const push = (text: string, own: string) => result.push({ text, eol: own || result.at(-1)?.eol || fallback });
  let at = 0;
  for (const { start, remove, insert } of splices) {
    for (; at < start; at++) push(before[at]?.text ?? "", before[at]?.eol ?? "");
    for (const [index, text] of insert.entries()) push(text, index < remove ? (before[start + index]?.eol ?? "") : "");
    at = start + remove;
  }
  for (; at < before.length; at++) push(before[at]?.text ?? "", before[at]?.eol ?? "");
  const last = result.at(-1);
  const removed = splices.at(-1);
  const keptLast =
    removed && removed.insert.length === 0 && removed.remove > 0 && removed.start + removed.remove === before.length;
  if (last && before.at(-1)?.eol === "" && !(keptLast && dialect === "literal")) last.eol = "";
  return textOf(parsable(result));
}

/** The line texts after the splices. */
function afterLines({ before, splices }: Case): string[] {
  const result: string[] = [];
  let at = 0;
  for (const { start, remove, insert } of splices) {
    result.push(...before.slice(at, start).map((line) => line.text), ...insert);
    at = start + remove;
  }
  return [...result, ...before.slice(at).map((line) => line.text)];
}

export function changesNothing(one: Case): boolean {
  const after = afterLines(one);
  return after.length === one.before.length && after.every((text, index) => text === one.before[index]?.text);
}

export type Encode = (text: string) => Buffer;

export const encodings: fc.Arbitrary<Encode> = fc.constantFrom<Encode[]>(
  (text) => Buffer.from(text),
  (text) => Buffer.from(`\uFEFF${text}`),
  (text) => Buffer.from(`\uFEFF${text}`, "utf16le"),
  (text) => Buffer.from(`\uFEFF${text}`, "utf16le").swap16(),
);
