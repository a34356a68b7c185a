// Refusals that protect files from likely mistakes: edits of generated files, and placeholders that stand for code that
// would be lost.

const HEADER_BYTES = 1024;
const HEADER_LINES = 40;

const comment = /^\s*(?:\/\/|\/\*|\*|#|<!--|--|;|%|"""|'''|\(\*|REM\b)/i;
/**
 * Matched after the comment's opening. Most must be at the beginning: "helpers for auto-generated ids" is handwritten.
 */
const generated = [
  /^\W*@generated\b/,
  /^\W*code generated (?:by|from)\b/i,
  /\bgenerated (?:by|from|with)\b.*\bdo not (?:edit|modify|change)\b/i,
  /\bdo not (?:edit|modify|change)\b.*\bgenerated\b/i,
  /^\W*this (?:file|code) (?:is|was|has been) (?:auto(?:matically)?[- ]?)?generated\b/i,
  /^\W*(?:auto-?|automatically )generated(?: (?:by|from|with|using|file|code)\b|\W*$)/i,
];

/** The header line that says that the file is generated. */
export function generatedMarker(text: string): string | undefined {
  return text
    .slice(0, HEADER_BYTES)
    .split("\n", HEADER_LINES)
    .find((line) => comment.test(line) && generated.some((marker) => marker.test(line.replace(comment, ""))))
    ?.trim();
}

const ellipsis = /\.{3}|\u2026/;
const opening = /^(?:\/\/|\/\*|\{\s*\/\*|\*|#|<!--|--|;|%)/;
const elided =
  /\b(?:rest (?:of|is|remains|stays|unchanged)|(?:existing|remaining|previous|original|other|unchanged) (?:code|content|implementation|lines|methods|functions|imports|logic|tests|file)|unchanged|same as (?:before|above))\b/i;

/** A line of `added` that is a placeholder for omitted code, unless the file already contains that line. */
export function placeholderLine(added: string, existing: string): string | undefined {
  if (!elided.test(added)) return undefined;
  const known = new Set(existing.split("\n").map((line) => line.trim()));
  return added
    .split("\n")
    .map((line) => line.trim())
    .find((line) => isPlaceholder(line) && !known.has(line));
}

function isPlaceholder(line: string): boolean {
  const said = elided.exec(line);
  if (!said || line.length > 120) return false;
  if (ellipsis.test(line)) return opening.test(line) || /^(?:\.{3}|\u2026)/.test(line);
  return /^(?:\/\/|#|\/\*|<!--|--)\s*(?:existing code|rest of (?:the )?(?:code|file|function|class|method)|code unchanged|unchanged code)(?: here| unchanged| remains(?: the same)?)?\s*(?:\*\/|-->)?$/i.test(
    line,
  );
}
