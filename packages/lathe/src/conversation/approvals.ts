// Carries approval questions, of the session and of its agents, to the user and the answers back. A remembered answer
// also answers open questions that it covers.

import type { EventData, Session, SessionEvent } from "@lathe/agent";
import { messageOf } from "@lathe/llm";
import type { Offers, Width } from "../found/permissions/offers.ts";
import { PERMISSIONS, type Permissions, UNATTENDED } from "../found/permissions/permissions.ts";

export type ApprovalQuestion = EventData["approval_request"] & {
  /** Set when a child agent wants to make the call. */
  readonly agentId?: string;
  /** Answers whose effect goes beyond this call. */
  readonly offers: Offers;
};

export interface ApprovalReply {
  readonly decision: "allow" | "deny";
  /**
   * Calls like this one are not asked about again: those that match its pattern in this project, or all of its tool
   * inside the roots.
   */
  readonly remember?: Width;
  /** Who answered: `user`, `host`, `deadline`. */
  readonly by: string;
  readonly reason?: string;
}

/** `signal` aborts when the question was answered in another way. */
export type Approver = (question: ApprovalQuestion, signal: AbortSignal) => Promise<ApprovalReply | undefined>;

/** Without a user, permissions deny on their own; this also denies what a hook wants a user to decide. */
export const UNATTENDED_APPROVER: Approver = async ({ reason }) => ({
  decision: "deny",
  by: UNATTENDED,
  reason: ["No user can be asked here.", ...(reason === undefined ? [] : [reason])].join(" "),
});

const GIVEN_UP = "The user closed the question without an answer.";

interface Pending {
  readonly question: ApprovalQuestion;
  readonly settled: AbortController;
}

export class Approvals {
  readonly #approve: Approver;
  readonly #pending = new Map<string, Pending>();

  constructor(approve: Approver) {
    this.#approve = approve;
  }

  /** Handles one event of the session. */
  follow(session: Session, permissions: Permissions, event: SessionEvent): void {
    if (event.kind === "subagent_event") this.follow(session, permissions, event.data.event);
    if (event.kind === "approval_settled") this.#settle(keyOf(event));
    if (event.kind === "approval_request") void this.#ask(session, permissions, event);
  }

  async #ask(
    session: Session,
    permissions: Permissions,
    event: Extract<SessionEvent, { kind: "approval_request" }>,
  ): Promise<void> {
    const { agent_id: agentId } = event;
    const { tool_name: tool, tier, access } = event.data;
    // A hook would ask again about the same call, so its questions offer no wider answer.
    const offers = isAskedOnlyByPermissions(event.data)
      ? permissions.offersFor({ tool, tier, access })
      : { tool: false };
    const question = { ...event.data, offers, ...(agentId === undefined ? {} : { agentId }) };
    const settled = new AbortController();
    this.#pending.set(keyOf(event), { question, settled });
    const reply = await this.#approve(question, settled.signal);
    if (settled.signal.aborted) return;
    if (!reply) {
      // If the user closes a question of the session, its work stops. An agent keeps working and would wait for an
      // answer.
      if (agentId !== undefined) answer(session, question, { decision: "deny", by: "user", reason: GIVEN_UP });
      return;
    }
    if (reply.decision === "allow" && event.data.asked_by.includes(PERMISSIONS)) permissions.openPorts({ access });
    const remembered =
      reply.remember &&
      (await permissions.remember(reply.remember, { tool, tier, access }).catch((error: unknown) => {
        session.warn(`The answer holds for this call only: ${messageOf(error)}`, "not_remembered");
        return undefined;
      }));
    answer(session, question, reply, remembered);
    if (remembered) this.#allowCovered(session, permissions);
  }

  #allowCovered(session: Session, permissions: Permissions): void {
    for (const { question } of [...this.#pending.values()]) {
      const { tool_name: tool, tier, access } = question;
      if (isAskedOnlyByPermissions(question) && permissions.isAllowedNow({ tool, tier, access }))
        answer(session, question, { decision: "allow", by: "always" });
    }
  }

  #settle(key: string): void {
    this.#pending.get(key)?.settled.abort();
    this.#pending.delete(key);
  }
}

/** Only the permissions ask about this call, no hook. */
const isAskedOnlyByPermissions = ({ asked_by }: EventData["approval_request"]): boolean =>
  asked_by.every((name) => name === PERMISSIONS);

function answer(
  session: Session,
  question: ApprovalQuestion,
  { decision, by, reason }: ApprovalReply,
  remembered?: readonly string[],
): void {
  session.answerApproval(question.call_id, { decision, by, reason, remembered }, question.agentId);
}

/** Calls of two agents may share an id. */
function keyOf(event: Extract<SessionEvent, { kind: "approval_request" | "approval_settled" }>): string {
  return `${event.agent_id ?? ""} ${event.data.call_id}`;
}
