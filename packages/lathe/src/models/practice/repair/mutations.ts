// Small changes that undo common mistakes: one operator, one bound, one word. Pure text; knows no project and hardly a language.

export interface Mutation {
  /** 0-based line. */
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

/** Pattern and its replacements; earlier rules are tried first. */
const RULES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/(?<=\s)<=(?=\s)/g, ["<", ">="]],
  [/(?<=\s)>=(?=\s)/g, [">", "<="]],
  [/(?<=\s)<(?=\s)/g, ["<=", ">"]],
  [/(?<=\s)>(?=\s)/g, [">=", "<"]],
  [/(?<=\s)===(?=\s)/g, ["!=="]],
  [/(?<=\s)!==(?=\s)/g, ["==="]],
  [/(?<=\s)==(?=\s)/g, ["!="]],
  [/(?<=\s)!=(?=\s)/g, ["=="]],
  [/(?<=\s)\+(?=\s)/g, ["-", "*"]],
  [/(?<=\s)-(?=\s)/g, ["+"]],
  [/(?<=\s)\*(?=\s)/g, ["/", "+"]],
  [/(?<=\s)\/(?=\s)/g, ["*", "%"]],
  [/(?<=\s)%(?=\s)/g, ["/"]],
  [/\+=/g, ["-="]],
  [/-=/g, ["+="]],
  [/&&/g, ["||"]],
  [/\|\|/g, ["&&"]],
  [/\bMath\.floor\b/g, ["Math.ceil", "Math.round"]],
  [/\bMath\.ceil\b/g, ["Math.floor", "Math.round"]],
  [/\bMath\.round\b/g, ["Math.floor", "Math.ceil"]],
  [/\bMath\.min\b/g, ["Math.max"]],
  [/\bMath\.max\b/g, ["Math.min"]],
  [/\bmin\(/g, ["max("]],
  [/\bmax\(/g, ["min("]],
  [/\.length - 1\b/g, [".length"]],
  [/\.length\b(?! - 1)/g, [".length - 1"]],
  [/\btoUpperCase\b/g, ["toLowerCase"]],
  [/\btoLowerCase\b/g, ["toUpperCase"]],
  [/\bstartsWith\b/g, ["endsWith"]],
  [/\bendsWith\b/g, ["startsWith"]],
  [/\.some\(/g, [".every("]],
  [/\.every\(/g, [".some("]],
  [/\.push\(/g, [".unshift("]],
  [/\.unshift\(/g, [".push("]],
  [/\.shift\(/g, [".pop("]],
  [/\.pop\(/g, [".shift("]],
  [/\btrue\b/g, ["false"]],
  [/\bfalse\b/g, ["true"]],
  [/\bTrue\b/g, ["False"]],
  [/\bFalse\b/g, ["True"]],
  [/\b(\w+) - (\w+)\b/g, ["$2 - $1"]],
  [/!(?=[\w(])/g, [""]],
];

const COMMENT = /^\s*(\/\/|#|\*|\/\*)/;

/** All single changes of the given lines, most likely first. */
export function mutations(lines: readonly string[], within: (line: number) => boolean): Mutation[] {
  const found: { readonly mutation: Mutation; readonly rank: number }[] = [];
  lines.forEach((text, line) => {
    if (!within(line) || COMMENT.test(text) || text.trim() === "") return;
    RULES.forEach(([pattern, alternatives], rank) => {
      for (const match of text.matchAll(pattern)) {
        for (const alternative of alternatives) {
          const put = alternative.replace(/\$(\d)/g, (_, group: string) => match[Number(group)] ?? "");
          const after = text.slice(0, match.index) + put + text.slice(match.index + match[0].length);
          found.push({ mutation: { line, before: text, after }, rank });
        }
      }
    });
    for (const match of text.matchAll(/(?<![\w.])\d+(?![\w.])/g)) {
      const value = Number(match[0]);
      for (const next of [value + 1, value - 1, value * 10, value / 10].filter((n) => Number.isInteger(n) && n >= 0)) {
        const after = text.slice(0, match.index) + next + text.slice(match.index + match[0].length);
        found.push({ mutation: { line, before: text, after }, rank: RULES.length });
      }
    }
  });
  const seen = new Set<string>();
  return found
    .sort((a, b) => a.rank - b.rank || a.mutation.line - b.mutation.line)
    .map(({ mutation }) => mutation)
    .filter((mutation) => {
      const key = `${mutation.line}:${mutation.after}`;
      if (mutation.after === mutation.before || seen.has(key)) return false;
      seen.add(key);
      return true;
    });
}
