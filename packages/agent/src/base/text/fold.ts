// Equivalences between what a model types and what a file contains. Folding preserves lengths, so offsets stay valid.

const folds = new Map<string, string>();
for (const [plain, variants] of [
  ["'", "\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4\uff07"],
  ['"', "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\uff02"],
  ["-", "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d\u00ad"],
  [" ", "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"],
  ["(", "\uff08"],
  [")", "\uff09"],
  [",", "\uff0c"],
  [":", "\uff1a"],
  [";", "\uff1b"],
  ["!", "\uff01"],
  ["?", "\uff1f"],
] as const) {
  for (const variant of variants) folds.set(variant, plain);
}
const foldable = new RegExp(`[${[...folds.keys()].join("")}]`, "g");

export function foldPunctuation(text: string): string {
  return text.replace(foldable, (character) => folds.get(character) as string);
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  '"': '"',
  "'": "'",
  "`": "`",
  "\\": "\\",
};

/** Undoes one level of string escaping; undefined if there is none. */
export function unescapeText(text: string): string | undefined {
  const result = text.replace(/\\([ntr"'`\\])/g, (_, letter: string) => escapes[letter] as string);
  return result === text ? undefined : result;
}
