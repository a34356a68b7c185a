// Recognises programs in small languages that neither write files nor run commands.

/** A sed script that only prints, deletes and substitutes. */
export function isPlainSed(script: string): boolean {
  const address = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\.)*/I?)`;
  const command = new RegExp(
    String.raw`(?:${address}(?:\s*,\s*(?:${address}|[+~]\d+))?\s*)?!?\s*(?:[pdDPgGhHxnN=l]|[qQ]\d*|s([^\w\s\\])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\]|\\[^])*\1[gpiIm\d]*|y/(?:[^/\\\n]|\\.)*/(?:[^/\\\n]|\\.)*/|[aic]\\?[ \t]*[^\n]*)(?=[\s;}]|$)`,
    "y",
  );
  const block = new RegExp(String.raw`${address}(?:\s*,\s*(?:${address}|[+~]\d+))?\s*!?\s*\{`, "y");
  for (let at = 0; ; ) {
    at += /^[\s;{}]*/.exec(script.slice(at))?.[0].length ?? 0;
    if (at >= script.length) return true;
    const form = [command, block].find((one) => {
      one.lastIndex = at;
      return one.test(script);
    });
    if (!form) return false;
    at = form.lastIndex;
  }
}

const AWK_FUNCTIONS = new Set(
  "if while for switch print printf return length substr index match split sub gsub gensub sprintf tolower toupper int sqrt exp log sin cos atan2 rand srand strftime systime mktime and or xor not compl lshift rshift strtonum asort asorti patsplit isarray typeof in delete".split(
    " ",
  ),
);

/** Variables of awk that open nothing. */
const AWK_VARIABLES = /^(?:NR|NF|FS|OFS|ORS|RS|FNR|FILENAME|RSTART|RLENGTH|SUBSEP|CONVFMT|OFMT|IGNORECASE|RT)$/;

/**
 * An awk program that only computes and prints: no pipes, files, commands or extensions. Each word before a parenthesis
 * is a known function or one defined in it, and it uses no array with an uppercase name, because awk's own arrays name
 * files and variables.
 */
export function isPlainAwk(program: string): boolean {
  if (/(?:^|[^|])\|(?:[^|]|$)|[>@`]|&&?\s*\|/.test(withoutComparisons(program))) return false;
  if (/\b(?:system|getline|close|fflush|extension|ARGC|ARGV|ENVIRON|PROCINFO|SYMTAB|FUNCTAB)\b/.test(program))
    return false;
  const defined = new Set([...program.matchAll(/\bfunc(?:tion)?\s+(\w+)/g)].map(([, name]) => name));
  for (const [, name = ""] of program.matchAll(/\b([A-Za-z_]\w*)\s*\(/g))
    if (!AWK_FUNCTIONS.has(name) && !defined.has(name) && !AWK_VARIABLES.test(name)) return false;
  return ![...program.matchAll(/\b([A-Z][A-Z_]+)\s*\[/g)].some(([, name = ""]) => !AWK_VARIABLES.test(name));
}

/** Outside braces, inside parentheses and as `>=`, it is a comparison; anywhere else `>` may write a file. */
function withoutComparisons(program: string): string {
  if (!/[{}"]/.test(program)) return program.replace(/>=?(?!>)/g, "");
  // If a string or regular expression may contain a parenthesis, parentheses are not counted.
  const innermost = /["/\\#]/.test(program)
    ? program
    : program.replace(/\([^()]*\)/g, (group) => group.replace(/>(?!>)/g, ""));
  return innermost.replaceAll(">=", "");
}

/** A jq filter that reads only its input: no modules or external settings. */
export function isPlainJq(program: string): boolean {
  return !/\b(?:import|include|modulemeta|input_filename|get_search_list|env)\b|\$ENV|\$__/.test(program);
}
