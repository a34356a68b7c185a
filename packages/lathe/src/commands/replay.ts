import { usageError } from "../cli/exit.ts";
import type { Command } from "./index.ts";

export const replayCommand: Command = async () => {
  throw usageError("lathe replay is not there yet.");
};
