// The few forms of YAML that almost all frontmatter consists of, without the YAML library: loading it takes longer than reading forty
// skills. Whatever is not plainly one of them is left to the library.

const LINE = /^([A-Za-z_][\w-]*):[ ]+(\S.*?)[ ]*$/;
const NOTHING = /^\s*(?:#.*)?$/;
const QUOTED = /^(?:"([^"\\]*)"|'([^']*)')$/;
/** Begins with a letter, has no sign that YAML could take for its own. */
const PLAIN = /^[A-Za-z][^\t\p{Cc}]*$/u;
const SIGNS = /: |:$| #/;
/** Words that are not text in YAML, or might not be. */
const WORDS = /^(?:null|true|false|y|n|yes|no|on|off)$/i;

/** Undefined: ask the library. */
export function simpleEntries(yaml: string): Readonly<Record<string, string | boolean>> | undefined {
  const entries = new Map<string, string | boolean>();
  for (const line of yaml.split(/\r?\n/)) {
    if (NOTHING.test(line)) continue;
    const [, key = "", value = ""] = LINE.exec(line) ?? [];
    const read = key === "__proto__" || WORDS.test(key) || entries.has(key) ? undefined : scalar(value);
    if (read === undefined) return undefined;
    entries.set(key, read);
  }
  return Object.fromEntries(entries);
}

function scalar(value: string): string | boolean | undefined {
  if (value === "true" || value === "false") return value === "true";
  const [whole, double, single] = QUOTED.exec(value) ?? [];
  if (whole !== undefined) return double ?? single;
  return PLAIN.test(value) && !SIGNS.test(value) && !WORDS.test(value) ? value : undefined;
}
