// Checks as an addition to sessions: what verifies is loaded with the first call that may change files.

import type { AdditionMaker } from "../../conversation/session-contract.ts";
import { VERIFICATION_ENTRY } from "../../sessions/verdict.ts";
import { SessionVerification } from "./session-verification.ts";
import { verifyCommand } from "./verify-command.ts";

export const verifyAddition: AdditionMaker = async (workspace, request) => {
  const verification = new SessionVerification(workspace, request);
  return {
    name: VERIFICATION_ENTRY,
    middleware: [verification.middleware],
    commands: async () => [verifyCommand(verification, workspace)],
    onEvent: (event) => verification.follow(event),
    ready: (session) => verification.ready(session),
  };
};
