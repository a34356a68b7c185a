// `lathe doctor`: one line per requirement of a run, with the fix if it is not met.

import { EXIT, usageError } from "../../platform/usage/exit.ts";
import { table } from "../../sessions/tables/table.ts";
import { checkInstallation } from "../doctor/checks.ts";
import type { Finding } from "../doctor/finding.ts";
import type { Command } from "./command.ts";

export const doctorCommand: Command = async (argv, machine) => {
  if (argv.length > 0) throw usageError(`lathe doctor takes no arguments. For session files: lathe sessions doctor`);
  const findings = await checkInstallation(machine);
  machine.stdout.write(table(findings.map(({ state, name, text }) => [SIGNS[state], name, text])));
  return findings.some(({ state }) => state === "wrong") ? EXIT.failed : EXIT.done;
};

const SIGNS: Readonly<Record<Finding["state"], string>> = { good: "ok", missing: "--", wrong: "FAIL" };
