// Decides which calls run without asking, and denies questions when no user is present.

import { Approvals, UNATTENDED_APPROVER } from "../approvals.ts";
import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

export function permissionsPart({
  permissions,
  request,
  session,
}: Pick<SessionBase, "permissions" | "request" | "session">): SessionPart {
  const unattended = request.person?.approve ? undefined : new Approvals(UNATTENDED_APPROVER);
  return {
    name: "permissions",
    middleware: [permissions.middleware()],
    onEvent: (event) => {
      if (session.isMade) unattended?.follow(session.current, permissions, event);
    },
  };
}
