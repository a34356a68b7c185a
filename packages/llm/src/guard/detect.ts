// Finds routing text of the Harmony envelope that leaked into tool arguments: the words of the header without their
// brackets, usually after a glitch word or a run of foreign script (HL-01). A marker alone is not enough, because
// source code and documents about tool calling contain it.

const marker = /to=functions\.[A-Za-z_]\w*/g;

/** How far around a marker we look for signals. */
const reach = 48;

/**
 * The position where trustworthy text ends; undefined if the text is clean. Leaks come in groups, and not every marker
 * of a group has a signal, so the first marker counts.
 */
export function findLeak(text: string): number | undefined {
  let first: number | undefined;
  for (const match of text.matchAll(marker)) {
    const before = text.slice(Math.max(0, match.index - reach), match.index);
    const after = text.slice(match.index + match[0].length, match.index + match[0].length + reach);
    if (isQuoted(after)) continue;
    first ??= match.index;
    if (hasSign(before)) return first;
    if (isForeignBeside(before, after) && isOutOfPlace(text.slice(0, Math.max(0, match.index - reach)), after))
      return first;
  }
  return undefined;
}

// Patterns over all scripts take a millisecond to compile, and hardly any text has a marker, so they are written
// inline.

function hasSign(before: string): boolean {
  // A bare channel word right before the marker. After a bracketed token it is a description of the real envelope.
  const channelWord = /(?:^|[^\w|>-])(?:analysis|assistant|commentary|user)\s+$/i;
  const glitchWord = /(?:Japgolly|Jsii_commentary|Jsii|changedFiles|RTLU)[^\p{L}\p{N}]{0,8}$/u;
  const bracketJunk = /[\u3010\u3011]["'\s]{0,4}$/;
  return channelWord.test(before) || glitchWord.test(before) || bracketJunk.test(before);
}

function isForeignBeside(before: string, after: string): boolean {
  const foreignBefore = /[\p{L}](?<!\p{Script=Latin})[^\p{L}]{0,4}$/u;
  const foreignAfter = /^\s*(?:code)?[^\p{L}]{0,6}[\p{L}](?<!\p{Script=Latin})/u;
  return foreignBefore.test(before) || foreignAfter.test(after);
}

/** True if one of these follows: then it is a literal in code, a mention in a document, or the real envelope. */
function isQuoted(after: string): boolean {
  return /^["'`<)\]]/.test(after);
}

/**
 * Foreign letters next to a marker mean something only in text that is otherwise Latin. If there is too little text to
 * tell, the body word of the envelope must follow.
 */
function isOutOfPlace(context: string, after: string): boolean {
  const letters = context.match(/\p{L}/gu)?.length ?? 0;
  if (letters < 20) return /^\s+code\b/.test(after);
  const latin = context.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return latin >= letters * 0.9;
}
