import { completionScript } from "../cli/completions.ts";
import { EXIT } from "../cli/exit.ts";
import type { Command } from "./command.ts";

export const completionsCommand: Command = async ([shell = "bash"], { stdout }) => {
  stdout.write(completionScript(shell));
  return EXIT.done;
};
