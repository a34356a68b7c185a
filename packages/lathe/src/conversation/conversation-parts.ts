// What a host passes to a conversation, and what it returns when it switches sessions.

import type { Session, SessionEvent, ToolProvider } from "@lathe/agent";
import type { RequestFor } from "./next-session.ts";
import type { Arrival, OpenSession, Person } from "./session-contract.ts";
import type { SessionWorkspace } from "./session-workspace.ts";
import type { Unsent } from "./unsent-messages.ts";

export interface ConversationParts {
  readonly workspace: SessionWorkspace;
  readonly requestFor: RequestFor;
  /** Answers questions; absent when no user is present. */
  readonly person?: Person;
  /** Tools that the host can add and remove. */
  readonly toolProviders?: readonly ToolProvider[];
  /** Called when a session becomes the present one, before anything runs in it. */
  readonly onSession?: (open: OpenSession, arrival: Arrival) => void;
  /** Opens another working directory; absent: sessions cannot be moved. */
  readonly workspaceAt?: (cwd: string) => Promise<SessionWorkspace>;
  /** The run stays in this session: a full context is summarized instead of handed off to a new session. */
  readonly staysInSession?: boolean;
  /** A model titles each session after its first message; hosts without a user save that request. */
  readonly namesSessions?: boolean;
  /** Called when the present session has a new title. */
  readonly onTitle?: (title: string) => void;
  /** Called for each event as it happens; slow readers do not delay it. */
  readonly onEvent?: (session: Session, event: SessionEvent) => void;
}

/** A further observer of the conversation. */
export type ConversationWatcher = Pick<ConversationParts, "onSession" | "onEvent">;

/**
 * The result of switching sessions: `cancelled` is the reason of a hook that objected, and then nothing has changed.
 */
export interface Departure {
  readonly cancelled?: string;
  readonly unsent?: Unsent;
}
