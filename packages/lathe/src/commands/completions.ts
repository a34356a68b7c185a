import { completionScript } from "../cli/completions.ts";
import { EXIT } from "../cli/exit.ts";
import type { Command } from "./index.ts";

export const completionsCommand: Command = async ([shell = "bash"], { stdout }) => {
  stdout.write(completionScript(shell));
  return EXIT.done;
};
