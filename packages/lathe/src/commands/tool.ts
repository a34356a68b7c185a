import { usageError } from "../cli/exit.ts";
import type { Command } from "./index.ts";

export const toolCommand: Command = async () => {
  throw usageError("lathe tool is not there yet.");
};
