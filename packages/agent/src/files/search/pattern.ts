// Interprets what models write when they mean a regular expression: braces that repeat nothing, parentheses of a call.
// Text in, text out.

import { ToolFailure } from "../../contract/tool.ts";
import { hasLineBreak } from "../../world/env/search/regex.ts";
import { EnvError } from "../../world/env/types.ts";

export interface SearchPattern {
  readonly text: string;
  readonly multiline: boolean;
}

/**
 * Runs a search with the intended pattern; if its groups are not closed, retries with parentheses as literal
 * characters.
 */
export async function withPattern<T>(raw: string, run: (pattern: SearchPattern) => Promise<T>): Promise<T> {
  const trimmed = trimPattern(raw);
  if (trimmed === "") throw new ToolFailure("Pattern must not be empty");
  const text = plainBraces(trimmed);
  const multiline = hasLineBreak(text);
  try {
    return await run({ text, multiline });
  } catch (error) {
    if (!isBadPattern(error)) throw error;
    if (isBalanced(text)) throw invalid(error);
  }
  try {
    return await run({ text: plainParentheses(text), multiline });
  } catch (error) {
    throw isBadPattern(error) ? invalid(error) : error;
  }
}

const isBadPattern = (error: unknown): error is EnvError => error instanceof EnvError && error.code === "bad_pattern";

function invalid(error: EnvError): ToolFailure {
  return new ToolFailure(`Invalid regex: ${error.message.replace(/^Bad regular expression ".*?": (?=\S)/s, "")}`);
}

/** A blank after a final backslash is part of the escape. */
function trimPattern(raw: string): string {
  const trimmed = raw.trim();
  return /(?<!\\)(?:\\\\)*\\$/.test(trimmed) ? raw.trimStart().slice(0, trimmed.length + 1) : trimmed;
}

/** Tokens of a pattern: complete escapes, whole classes, otherwise single characters. */
const TOKEN = /\\(?:[pPxuUko]\{[^}]*\}|.)|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|./gsu;
const REPETITION = /^\{(?:\d+(?:,\d*)?|,\d+)\}/;

/**
 * Braces that cannot be a repetition are literal, and so is a dollar before one, because nothing can follow the end of
 * a line.
 */
function plainBraces(pattern: string): string {
  let out = "";
  let before = "";
  for (const { 0: token, index } of pattern.matchAll(TOKEN)) {
    const rest = pattern.slice(index);
    if (token === "{" && !(REPETITION.test(rest) && !["", "(", "|", "^", "$"].includes(before))) out += "\\{";
    else if (token === "$" && rest[1] === "{") out += "\\$";
    else out += token;
    before = token;
  }
  return out;
}

function isBalanced(pattern: string): boolean {
  let open = 0;
  for (const [token] of pattern.matchAll(TOKEN)) {
    if (token === "(") open++;
    else if (token === ")" && --open < 0) return false;
  }
  return open === 0;
}

const plainParentheses = (pattern: string): string =>
  [...pattern.matchAll(TOKEN)].map(([token]) => (token === "(" || token === ")" ? `\\${token}` : token)).join("");
