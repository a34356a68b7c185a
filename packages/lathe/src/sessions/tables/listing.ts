// Names and their meanings in two columns. A meaning that does not fit continues below itself, never below the name.

export type Named = readonly [name: string, meaning: string];

const GAP = 2;
/** A longer name gets its own line. */
const LONGEST_NAME = 28;
/** Share of the width for the names. */
const NAMES_SHARE = 0.4;
/** If less room than this is left next to the names, the meanings go below them. */
const LEAST_MEANING = 20;
const INDENT_BELOW = 4;

/** The number of columns for the names at this width. */
export function nameRoom(names: readonly string[], columns: number): number {
  const most = Math.min(LONGEST_NAME, Math.floor(columns * NAMES_SHARE));
  return Math.max(0, ...names.map(({ length }) => length).filter((length) => length <= most));
}

/** Lines for a terminal are wrapped to its width; piped output is not wrapped. */
export const roomOf = ({ isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number }): number =>
  isTTY === true && columns !== undefined && columns > 0 ? columns : Number.POSITIVE_INFINITY;

export function listing(entries: readonly Named[], columns = Number.POSITIVE_INFINITY): string {
  const room = nameRoom(
    entries.map(([name]) => name),
    columns,
  );
  const beside = room + GAP;
  const isBelow = room === 0 || columns - beside < LEAST_MEANING;
  const indent = isBelow ? INDENT_BELOW : beside;
  return entries
    .flatMap(([name, meaning]) => {
      const lines = breakLines(meaning, columns - indent);
      if (isBelow || name.length > room) return [name, ...lines.map((line) => `${" ".repeat(indent)}${line}`)];
      const [first = "", ...rest] = lines;
      return [`${name.padEnd(beside)}${first}`.trimEnd(), ...rest.map((line) => `${" ".repeat(beside)}${line}`)];
    })
    .join("\n");
}

/** Breaks into lines of at most this many characters, between words if possible. */
function breakLines(text: string, room: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(...pieces(word, room));
  }
  return lines;
}

/** A path or an id may be longer than the line, and is then cut at the end of the line. */
function pieces(word: string, room: number): string[] {
  if (word.length <= room) return [word];
  const cut: string[] = [];
  for (let at = 0; at < word.length; at += Math.max(1, room)) cut.push(word.slice(at, at + Math.max(1, room)));
  return cut;
}
