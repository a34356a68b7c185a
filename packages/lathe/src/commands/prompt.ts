import { usageError } from "../cli/exit.ts";
import type { Command } from "./index.ts";

export const promptCommand: Command = async () => {
  throw usageError("lathe prompt is not there yet.");
};
