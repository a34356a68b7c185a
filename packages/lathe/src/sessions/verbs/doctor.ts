import { usageError } from "../../cli/exit.ts";
import type { Verb } from "./verb.ts";

export const doctorVerb: Verb = async () => {
  throw usageError("lathe sessions doctor is not there yet.");
};
