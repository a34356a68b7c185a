import { usageError } from "../../cli/exit.ts";
import type { Verb } from "./verb.ts";

export const exportVerb: Verb = async () => {
  throw usageError("lathe sessions export is not there yet.");
};
