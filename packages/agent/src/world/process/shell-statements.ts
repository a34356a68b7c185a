// Splits what bash prints about itself (`declare -p`, `alias -p`, `trap -p`) into statements: a value may contain line
// ends.

/** One statement each, without its closing line end. */
export function statementsIn(text: string): string[] {
  const found: string[] = [];
  let start = 0;
  let at = 0;
  while (at < text.length) {
    const letter = text[at];
    if (letter === "\n") {
      if (at > start) found.push(text.slice(start, at));
      at += 1;
      start = at;
    } else at = afterQuoted(text, at, letter === "$" && text[at + 1] === "'");
  }
  if (at > start) found.push(text.slice(start));
  return found;
}

/** The position after the quoted text that begins here, or after this one character. */
function afterQuoted(text: string, at: number, isAnsi: boolean): number {
  const quote = isAnsi ? "'" : text[at];
  if (quote === "\\") return at + 2;
  if (quote !== "'" && quote !== '"') return at + 1;
  const escapes = isAnsi || quote === '"';
  let end = at + (isAnsi ? 2 : 1);
  while (end < text.length && text[end] !== quote) end += escapes && text[end] === "\\" ? 2 : 1;
  return end + 1;
}
