// `${…}`: the forms whose value is plain text. Those that run code (`${x@P}`, `${!x}`, computed subscripts) are in doubt.

import { type Cursor, type Inner, onlyInBash, ShellDoubt } from "./syntax.ts";
import { type ReadScript, readDollar, readQuotedPiece, WordBuilder } from "./words.ts";

/** From behind `${` to behind `}`. */
export function readBraced(cursor: Cursor, readScript: ReadScript): Inner[] {
  const rest = cursor.text.slice(cursor.position, cursor.end);
  const length = /^#(?:[A-Za-z_]\w*(?:\[[@*]\])?|[0-9@*]?)\}/.exec(rest)?.[0];
  if (length !== undefined) {
    cursor.position += length.length;
    return [];
  }
  const head = /^([A-Za-z_]\w*|[0-9]+|[@*#?$!-])(\[(?:[@*]|\d+|-1)\])?/.exec(rest);
  if (!head) throw new ShellDoubt("an expansion that is not understood");
  cursor.position += head[0].length;
  const operator = /^(?:\}|:?[-=+?]|##?|%%?|\/[/#%]?|\^\^?|,,?|@[QULu](?=\})|: ?-?\d+(?::-?\d+)?(?=\}))/.exec(
    cursor.text.slice(cursor.position, cursor.end),
  )?.[0];
  if (operator === undefined) throw new ShellDoubt("an expansion that is not understood");
  if (head[2] !== undefined || !/^(?:\}|:?[-=+?]|##?|%%?)$/.test(operator)) onlyInBash(cursor);
  cursor.position += operator.length;
  const variable: Inner = { kind: "variable", name: head[1] as string, assigns: /^:?=$/.test(operator) };
  return operator === "}" ? [variable] : [variable, ...readOperand(cursor, readScript)];
}

/** The word or pattern of an expansion, up to behind its brace. */
function readOperand(cursor: Cursor, readScript: ReadScript): Inner[] {
  const operand = new WordBuilder();
  while (cursor.position < cursor.end) {
    const char = cursor.text[cursor.position] as string;
    if (char === "}") {
      cursor.position++;
      return operand.inner;
    }
    // Quotes mean different things here inside and outside of double quotes.
    if (/['"{\n<>]/.test(char)) throw new ShellDoubt("an expansion that is not understood");
    if (char === "$") readDollar(cursor, operand, readScript, true);
    else readQuotedPiece(cursor, operand, readScript, "\\");
  }
  throw new ShellDoubt("an expansion is not closed");
}
