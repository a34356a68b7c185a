// Guesses from words whether a text instructs its reader; for English only. Look-alike letters count as the letters
// that they resemble.

const DIRECTIVE =
  /\b(?:always|never|must|should|shall|ignore|disregard|obey|pretend|forget|remember to|be sure to|make sure|do not|don't|from now on|whenever|before (?:doing|running|answering|every|each|any)|you (?:are|have|need|will|can|may)|your (?:task|job|role|instructions?)|system prompt|instructions?:|important:|note to|dear (?:ai|agent|assistant|model))\b/i;

/** Instructions phrased as statements. */
const DUTY =
  /\b(?:mandatory|obligatory|compulsory|ought to|ha(?:s|ve) to|needs? to|(?:is|are) (?:required|expected|supposed|obliged|asked|told) to|wants? (?:you|agents?|assistants?|the (?:agent|assistant|model)) to)\b/i;

/** Verbs with which instructions begin. */
const ORDER =
  /^(?:please |first,? |then,? |and )?(?:add|answer|avoid|call|click|commit|curl|delete|disable|do|download|drop|email|enable|execute|fetch|follow|give|grant|install|keep|let|open|output|pipe|post|prefer|print|push|read|remove|reply|respond|reveal|run|send|set|share|show|skip|start|stop|tell|trust|upload|use|visit|write)\b(?! (?:at|by|from|in|of|via)\b)/i;

/** A word that mixes look-alike letters of two alphabets. */
const MIXED =
  /[A-Za-z][\p{Script=Cyrillic}ΑΒΕΖΗΙΚΜΝΟΡΤΥΧανικορτυχ]|[\p{Script=Cyrillic}ΑΒΕΖΗΙΚΜΝΟΡΤΥΧανικορτυχ][A-Za-z]/u;

const NEGATION = /\b(?:never|not|no|none|cannot|without|avoid|stop)\b|n't\b/i;

/** Removes marks and invisible characters: "A̲lways" becomes "Always". */
const plain = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/[\p{M}\p{Cf}]/gu, "")
    .replaceAll("’", "'");

export const mixesAlphabets = (text: string): boolean => MIXED.test(text.normalize("NFKC"));

/** Whether the text is negative, such as a prohibition. */
export const negates = (text: string): boolean => NEGATION.test(plain(text));

/** Whether a line of a source instructs. Statements of a duty are excluded: there, they may be facts of the project. */
export const isOrder = (line: string): boolean => DIRECTIVE.test(plain(line)) || beginsAsOrder(plain(line));

/** Whether a text states a rule. A step of a procedure is not one, although it begins like an instruction. */
export const isRule = (text: string): boolean => DIRECTIVE.test(plain(text)) || DUTY.test(plain(text));

export const isDirective = (text: string): boolean => isRule(text) || beginsAsOrder(plain(text));

const beginsAsOrder = (text: string): boolean => clausesOf(text).some((clause) => ORDER.test(clause));

/** The clauses of a text, each without leading marks such as those of a list. */
const clausesOf = (text: string): readonly string[] =>
  text.split(/[.!?:;\n]\s+|\s[-–—|>]+\s+/).map((clause) => clause.replace(/^[^\p{L}]+/u, ""));
