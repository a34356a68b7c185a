import { EXIT } from "../../platform/usage/exit.ts";
import type { Command } from "./command.ts";
import { completionScript } from "./completions-script.ts";

export const completionsCommand: Command = async ([shell = "bash"], { stdout }) => {
  stdout.write(completionScript(shell));
  return EXIT.done;
};
