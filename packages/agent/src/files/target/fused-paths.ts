// Several paths in one text, separated by commas, semicolons or spaces. They are split only if the disk confirms it: a
// file whose name contains a comma stays one file.

/**
 * The paths that `text` joins, or undefined if it is a single path. `exists` is called only for parts; the text itself
 * does not exist.
 */
export async function fusedPaths(
  text: string,
  exists: (part: string) => Promise<boolean>,
): Promise<readonly string[] | undefined> {
  const listed = parts(text, /[,;]/);
  if (listed.length > 1) {
    for (const part of listed) if (await exists(part)) return listed;
  }
  const spaced = parts(text, /\s/);
  if (spaced.length < 2) return undefined;
  for (const part of spaced) if (!(await exists(part))) return undefined;
  return spaced;
}

/** Commas inside the braces and brackets of a glob do not separate. */
function parts(text: string, separator: RegExp): string[] {
  const found: string[] = [];
  let part = "";
  let depth = 0;
  for (const char of text) {
    if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") depth--;
    if (depth <= 0 && separator.test(char)) {
      found.push(part.trim());
      part = "";
    } else part += char;
  }
  return [...found, part.trim()].filter((one) => one !== "");
}
