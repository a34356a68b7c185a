// Whether a shell could parse a text at all. Text that only we do not understand is not reported here.

import { messageOf } from "@lathe/llm";
import { readShell } from "./reader.ts";
import { ShellDoubt } from "./syntax.ts";

/** What the reader says of texts that bash refuses too; all its other doubts are about texts that may be valid. */
const CERTAIN = [
  /^(?:unexpected syntax|a command is missing|".*" is missing)$/,
  /^a(?:n)? (?:quote|parenthesis|backtick|test|expansion|array) is not closed$/,
  /^the (?:variable of a loop|name of a function) is missing$/,
  /^"(?:then|do|done|fi|else|elif|esac|\})" is not understood here$/,
];

/** The syntax error, if there is one. */
export function shellProblem(text: string): string | undefined {
  if (text.includes("\0")) return "it contains a NUL byte";
  try {
    readShell(text, undefined);
    return undefined;
  } catch (error) {
    if (!(error instanceof ShellDoubt)) throw error;
    const problem = messageOf(error);
    return CERTAIN.some((one) => one.test(problem)) ? problem : undefined;
  }
}
