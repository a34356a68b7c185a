// Whether a shell could read a text at all. What we only do not understand is no problem here.

import { messageOf } from "@lathe/llm";
import { readShell } from "./reader.ts";
import { ShellDoubt } from "./syntax.ts";

const CERTAIN = /^(?:unexpected syntax|a command is missing|a (?:quote|parenthesis|backtick|test) is not closed)$/;

/** Why it cannot, or nothing. */
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
