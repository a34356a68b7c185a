// Whether a text tells its reader what to do. A guess by words, for English; what only looks like other letters is read as what it looks like.

const DIRECTIVE =
  /\b(?:always|never|must|should|shall|ignore|disregard|obey|pretend|forget|remember to|be sure to|make sure|do not|don't|from now on|whenever|before (?:doing|running|answering|every|each|any)|you (?:are|have|need|will|can|may)|your (?:task|job|role|instructions?)|system prompt|instructions?:|important:|note to|dear (?:ai|agent|assistant|model))\b/i;

/** Orders in the clothes of a statement. */
const DUTY =
  /\b(?:mandatory|obligatory|compulsory|ought to|ha(?:s|ve) to|needs? to|(?:is|are) (?:required|expected|supposed|obliged|asked|told) to|wants? (?:you|agents?|assistants?|the (?:agent|assistant|model)) to)\b/i;

/** How orders begin. */
const ORDER =
  /^(?:please |first,? |then,? |and )?(?:add|answer|avoid|call|click|commit|curl|delete|disable|do|download|drop|email|enable|execute|fetch|follow|give|grant|install|keep|let|open|output|pipe|post|prefer|print|push|read|remove|reply|respond|reveal|run|send|set|share|show|skip|start|stop|tell|trust|upload|use|visit|write)\b(?! (?:at|by|from|in|of|via)\b)/i;

/** Letters that are drawn like those of another alphabet, in one word with them. */
const MIXED =
  /[A-Za-z][\p{Script=Cyrillic}ΑΒΕΖΗΙΚΜΝΟΡΤΥΧανικορτυχ]|[\p{Script=Cyrillic}ΑΒΕΖΗΙΚΜΝΟΡΤΥΧανικορτυχ][A-Za-z]/u;

const NEGATION = /\b(?:never|not|no|none|cannot|without|avoid|stop)\b|n't\b/i;

/** Without marks and invisible signs: "A̲lways" is "Always". */
const plain = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/[\p{M}\p{Cf}]/gu, "")
    .replaceAll("’", "'");

export const mixesAlphabets = (text: string): boolean => MIXED.test(text.normalize("NFKC"));

/** It says what is not to be done. */
export const negates = (text: string): boolean => NEGATION.test(plain(text));

/** A line of a source: what only states a duty there may be a fact of the project. */
export const isOrder = (line: string): boolean => DIRECTIVE.test(plain(line)) || beginsAsOrder(plain(line));

/** A rule, which a step of a procedure is not, although it begins as an order does. */
export const isRule = (text: string): boolean => DIRECTIVE.test(plain(text)) || DUTY.test(plain(text));

export const isDirective = (text: string): boolean => isRule(text) || beginsAsOrder(plain(text));

const beginsAsOrder = (text: string): boolean => clausesOf(text).some((clause) => ORDER.test(clause));

/** Each without the marks before its first word, such as those of a list. */
const clausesOf = (text: string): readonly string[] =>
  text.split(/[.!?:;\n]\s+|\s[-–—|>]+\s+/).map((clause) => clause.replace(/^[^\p{L}]+/u, ""));
