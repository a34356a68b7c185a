// Finds the one rule by which a block's indentation differs from the file's, and re-indents new lines with it.

export type Reindent = (line: string) => string | undefined;

export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/**
 * The rule that turns the indentation of each `typed` line into that of its `actual` line; undefined if no rule fits
 * all.
 */
export function indentRule(typed: readonly string[], actual: readonly string[]): Reindent | undefined {
  const pairs: (readonly [string, string])[] = [];
  for (const [index, line] of typed.entries()) {
    const other = actual[index] as string;
    if (line.trim() !== "" && other.trim() !== "") pairs.push([indentOf(line), indentOf(other)]);
  }
  if (pairs.length === 0 || pairs.every(([from, to]) => from === to)) return (line) => line;
  return findShift(pairs) ?? findConversion(pairs) ?? findStep(pairs);
}

function findShift(pairs: readonly (readonly [string, string])[]): Reindent | undefined {
  const [from, to] = pairs[0] as readonly [string, string];
  if (to.endsWith(from) && pairs.every(([typed, actual]) => actual === to.slice(0, to.length - from.length) + typed)) {
    const prefix = to.slice(0, to.length - from.length);
    return (line) => (line.trim() === "" ? line : prefix + line);
  }
  const surplus = from.slice(0, from.length - to.length);
  if (from.endsWith(to) && pairs.every(([typed, actual]) => typed === surplus + actual)) {
    return (line) => {
      if (line.trim() === "") return line.startsWith(surplus) ? line.slice(surplus.length) : "";
      return line.startsWith(surplus) ? line.slice(surplus.length) : undefined;
    };
  }
  return undefined;
}

/** Tabs versus a fixed number of spaces, or one number of spaces versus another. */
function findConversion(pairs: readonly (readonly [string, string])[]): Reindent | undefined {
  const indented = pairs.find(([from, to]) => from !== "" && to !== "");
  if (!indented || pairs.some(([from, to]) => !pure(from) || !pure(to) || (from === "") !== (to === "")))
    return undefined;
  const fromUnit = (indented[0][0] as string) === "\t" ? "\t" : " ";
  const toUnit = (indented[1][0] as string) === "\t" ? "\t" : " ";
  const ratio = indented[1].length / indented[0].length;
  const fits = pairs.every(
    ([from, to]) =>
      from === fromUnit.repeat(from.length) && to === toUnit.repeat(to.length) && from.length * ratio === to.length,
  );
  if (!fits) return undefined;
  return (line) => {
    if (line.trim() === "") return "";
    const indent = indentOf(line);
    const length = indent.length * ratio;
    if (indent !== fromUnit.repeat(indent.length) || !Number.isInteger(length)) return undefined;
    return toUnit.repeat(length) + line.slice(indent.length);
  };
}

/**
 * A different unit on a different base: known depths are looked up; deeper ones are counted in steps from the nearest
 * known depth.
 */
function findStep(pairs: readonly (readonly [string, string])[]): Reindent | undefined {
  const known = new Map<string, string>();
  for (const [from, to] of pairs) {
    if ((known.get(from) ?? to) !== to) return undefined;
    known.set(from, to);
  }
  const depths = [...known].sort(([a], [b]) => a.length - b.length);
  const [first, second] = depths;
  const step =
    first && second?.[0].startsWith(first[0]) && second[1].startsWith(first[1])
      ? { from: second[0].slice(first[0].length), to: second[1].slice(first[1].length) }
      : undefined;
  return (line) => {
    if (line.trim() === "") return "";
    const indent = indentOf(line);
    const base = depths.findLast(([from]) => indent.startsWith(from));
    if (!base) return undefined;
    const rest = indent.slice(base[0].length);
    if (rest === "") return base[1] + line.slice(indent.length);
    const count = step ? rest.length / step.from.length : Number.NaN;
    if (!step || rest !== step.from.repeat(Math.floor(count))) return undefined;
    return base[1] + step.to.repeat(count) + line.slice(indent.length);
  };
}

function pure(indent: string): boolean {
  return !(indent.includes(" ") && indent.includes("\t"));
}
