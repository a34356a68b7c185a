// `/verify`: the last verdict with its evidence; `/verify accept` lets a person stand in for a proof.

import type { CommandHead } from "../../conversation/commands/command-view.ts";
import type { PartCommand } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { verificationLine } from "../../sessions/verdict.ts";
import type { Evidence, RanCheck } from "./evidence.ts";
import type { SessionVerification } from "./session-verification.ts";

const HEAD: CommandHead<unknown> = {
  name: "verify",
  arguments: "[accept]",
  description: "show what the checks have proven, or accept work that is not proven",
  complete: (_conversation, typed) => ["accept"].filter((word) => word.startsWith(typed)),
};

export function verifyCommand(verification: SessionVerification, { machine }: SessionWorkspace): PartCommand {
  return {
    ...HEAD,
    run: (_conversation, argument, view) => {
      const word = argument.trim();
      if (word !== "" && word !== "accept") throw usageError(`/verify takes "accept" or nothing, not "${word}".`);
      if (word === "accept") {
        const who = machine.env["USER"] ?? machine.env["LOGNAME"] ?? "the user";
        verification.accept(who);
        view.line(`Accepted by ${who}. What follows is verified against the files as they are now.`);
        return;
      }
      const { last } = verification;
      if (last) for (const line of evidenceLines(last)) view.line(line);
      else view.line(`Nothing was verified yet. Checks: ${verification.commands.join("; ")}`);
    },
  };
}

function evidenceLines(evidence: Evidence): string[] {
  const { checks, covered, uncovered, acceptedBy } = evidence;
  return [
    acceptedBy === undefined ? (verificationLine(evidence) ?? "Nothing was changed.") : `Accepted by ${acceptedBy}.`,
    ...checks.map(runLine),
    ...(covered.length === 0 ? [] : [`Covered: ${covered.join(", ")}`]),
    ...(uncovered.length === 0 ? [] : [`Not covered: ${uncovered.join(", ")}`]),
  ];
}

const OF: Readonly<Record<RanCheck["of"], string>> = {
  now: "",
  "old tests": " with the tests of before",
  "old code": " with the new tests on the old code",
};

const runLine = ({ command, of, exitCode, durationMs }: RanCheck): string =>
  `  ${command}${OF[of]}: exit code ${exitCode}, ${(durationMs / 1000).toFixed(1)} s`;
