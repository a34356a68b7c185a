import { usageError } from "../cli/exit.ts";
import type { Command } from "./index.ts";

export const modelsCommand: Command = async () => {
  throw usageError("lathe models is not there yet.");
};
