import { usageError } from "../../cli/exit.ts";
import type { Verb } from "./verb.ts";

export const statsVerb: Verb = async () => {
  throw usageError("lathe sessions stats is not there yet.");
};
