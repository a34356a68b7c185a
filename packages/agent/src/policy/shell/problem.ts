// Whether a shell could parse a text at all. Text that only we do not understand is not reported here.

import { messageOf } from "@lathe/llm";
import { readShell } from "./reader.ts";
import { ShellDoubt } from "./syntax.ts";

const CERTAIN = /^(?:unexpected syntax|a command is missing|a (?:quote|parenthesis|backtick|test) is not closed)$/;

/** The syntax error, if there is one. */
export function shellProblem(text: string): string | undefined {
  try {
    readShell(text, undefined);
    return undefined;
  } catch (error) {
    if (!(error instanceof ShellDoubt)) throw error;
    const problem = messageOf(error);
    return CERTAIN.test(problem) ? problem : undefined;
  }
}
