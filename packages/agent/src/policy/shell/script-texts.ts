// Programs in small languages that are proven to neither write files nor run commands.

/** A sed script made of printing, deleting and substituting. */
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

/** An awk program that only computes and prints: no pipes, files, commands or extensions. */
export function isPlainAwk(program: string): boolean {
  // Outside of braces and as `>=` it compares; anywhere else `>` may write a file.
  const compared = /[{}"]/.test(program) ? program.replaceAll(">=", "") : program.replace(/>=?(?!>)/g, "");
  if (/(?:^|[^|])\|(?:[^|]|$)|[>@`]|&&?\s*\|/.test(compared)) return false;
  return !/\b(?:system|getline|close|fflush|ARGV|ARGC|PROCINFO|ENVIRON|extension)\b/.test(program);
}
