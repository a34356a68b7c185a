// `/verify`: shows the last verdict with its evidence; with `/verify accept`, the user accepts work without proof.

import type { CommandHead } from "../../conversation/commands/command-view.ts";
import type { PartCommand, PromptCommand } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { verificationLine } from "../../sessions/verdict.ts";
import type { Evidence, RanCheck } from "./evidence.ts";
import type { SessionVerification } from "./session-verification.ts";

const HEAD: CommandHead<unknown> = {
  name: "verify",
  arguments: "[accept]",
  description: "show what the checks have proven, or accept unproven work",
  complete: (_conversation, typed) => ["accept"].filter((word) => word.startsWith(typed)),
};

const NO_CHECKS = 'No checks run in this session now. To verify further work: lathe -c --check "<command>"';

/** Prints lines at a terminal; in other hosts, the same text is a notice. */
export function verifyCommand(
  verification: SessionVerification,
  { machine }: SessionWorkspace,
): PartCommand & PromptCommand {
  const hasChecks = verification.commands.length > 0;
  const answer = (argument: string): readonly string[] => {
    const word = argument.trim();
    if (word !== "" && word !== "accept") throw usageError(`/verify takes "accept" or nothing, not "${word}".`);
    if (word === "accept") {
      const who = machine.env["USER"] ?? machine.env["LOGNAME"] ?? "the user";
      verification.accept(who);
      return [`Accepted by ${who}.${hasChecks ? " Later work is verified against the files as they are now." : ""}`];
    }
    const { last } = verification;
    if (last) return hasChecks ? evidenceLines(last) : [...evidenceLines(last), NO_CHECKS];
    return [hasChecks ? `Nothing has been verified yet. Checks: ${verification.commands.join("; ")}` : NO_CHECKS];
  };
  return {
    ...HEAD,
    acts: true,
    run: (_conversation, argument, view) => {
      for (const line of answer(argument)) view.line(line);
    },
    expand: (argument, { session, permissions }) => {
      if (permissions.isUnattended && argument.trim() === "accept")
        throw usageError("The session is unattended: only a person can accept unproven work.");
      session.warn(answer(argument).join("\n"), "verify");
      return undefined;
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
  "old tests": " with the original tests",
  "old code": " with the new tests on the old code",
};

const runLine = ({ command, of, exitCode, durationMs }: RanCheck): string =>
  `  ${command}${OF[of]}: exit code ${exitCode}, ${(durationMs / 1000).toFixed(1)} s`;
