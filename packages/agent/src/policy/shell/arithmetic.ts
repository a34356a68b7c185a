// `$((…))` and `((…))`. Bash evaluates the values of variables as expressions, and a subscript in one may run a command, so
// the names that stand here are reported: they must hold nothing but numbers.

import { type Cursor, type Inner, ShellDoubt } from "./syntax.ts";
import { type ReadScript, readDollar, WordBuilder } from "./words.ts";

/** From behind `((` to behind `))`; the header of a loop has three expressions. */
export function readArithmetic(cursor: Cursor, readScript: ReadScript, place?: "header"): Inner[] {
  const allowed = place === "header" ? /[\w \t+\-*/%<>=!&|^~?:,();]/ : /[\w \t+\-*/%<>=!&|^~?:,()]/;
  const inner: Inner[] = [];
  let [depth, plain] = [0, ""];
  while (cursor.position < cursor.end) {
    const char = cursor.text[cursor.position] as string;
    if (char === ")" && depth === 0) {
      // `$((a); b)` is a subshell in a substitution, not arithmetic.
      if (cursor.text[cursor.position + 1] !== ")" || cursor.position + 1 >= cursor.end) break;
      cursor.position += 2;
      return [...inner, namesIn(plain)];
    }
    if (char === "$") {
      const nested = new WordBuilder();
      readDollar(cursor, nested, readScript, true);
      inner.push(...numbersOnly(nested.inner));
      plain += " 0 ";
      continue;
    }
    if (!allowed.test(char)) break;
    depth += char === "(" ? 1 : char === ")" ? -1 : 0;
    plain += char;
    cursor.position++;
  }
  throw new ShellDoubt("arithmetic that is not understood");
}

/** Positional and special parameters that are always numbers. */
const NUMBERS = new Set(["#", "?", "$", "!"]);

function numbersOnly(inner: readonly Inner[]): Inner[] {
  return inner.map((one) => {
    if (one.kind === "script") throw new ShellDoubt("arithmetic over the output of a command");
    if (one.kind !== "variable") return one;
    return { kind: "arithmetic", names: NUMBERS.has(one.name) ? [] : [one.name], assigned: [] };
  });
}

function namesIn(text: string): Inner {
  const names = text.match(/[A-Za-z_]\w*/g) ?? [];
  const assigned = [
    ...text.matchAll(/([A-Za-z_]\w*)\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))|(?:\+\+|--)\s*([A-Za-z_]\w*)/g),
  ];
  return { kind: "arithmetic", names, assigned: assigned.map((found) => found[1] ?? (found[2] as string)) };
}
