// Checks as an addition to sessions. Most of the code is loaded with the first call that may change files.

import type { AdditionMaker } from "../../conversation/session-contract.ts";
import { VERIFICATION_ENTRY } from "../../sessions/verdict.ts";
import { SessionVerification } from "./session-verification.ts";
import { verifyCommand } from "./verify-command.ts";

export const verifyAddition: AdditionMaker = async (workspace, request) => {
  const verification = new SessionVerification(workspace, request);
  return {
    name: VERIFICATION_ENTRY,
    // Even without checks, the verdicts of earlier processes can be shown.
    ...(verification.commands.length === 0
      ? {}
      : { middleware: [verification.middleware], onEvent: (event) => verification.follow(event) }),
    commands: async () => [verifyCommand(verification, workspace)],
    ready: (session) => verification.ready(session),
  };
};
