import { usageError } from "../cli/exit.ts";
import type { Command } from "./index.ts";

export const sessionsCommand: Command = async () => {
  throw usageError("lathe sessions is not there yet.");
};
