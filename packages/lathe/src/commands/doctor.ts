import { usageError } from "../cli/exit.ts";
import type { Command } from "./index.ts";

export const doctorCommand: Command = async () => {
  throw usageError("lathe doctor is not there yet.");
};
