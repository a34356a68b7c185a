// What a conversation is made of, and how a session becomes the present one.

import type { Session, SessionEvent, ToolProvider } from "@lathe/agent";
import type { RequestFor } from "./next-session.ts";
import type { Arrival, OpenSession, Person } from "./session-contract.ts";
import type { SessionWorkspace } from "./session-workspace.ts";
import type { Unsent } from "./unsent.ts";

export interface ConversationParts {
  readonly workspace: SessionWorkspace;
  readonly requestFor: RequestFor;
  /** Who answers questions; absent when no user is present. */
  readonly person?: Person;
  /** Tools that the host may add and remove. */
  readonly toolProviders?: readonly ToolProvider[];
  /** Each session as it becomes the present one, before anything runs in it. */
  readonly onSession?: (open: OpenSession, arrival: Arrival) => void;
  /** Another directory to work in; absent: sessions cannot be moved. */
  readonly workspaceAt?: (cwd: string) => Promise<SessionWorkspace>;
  /** The run is about this one session: a full context is summarized, and no other session takes over by itself. */
  readonly staysInSession?: boolean;
  /** Sessions get a title from a model after their first message; a host that no user looks at does without the request. */
  readonly namesSessions?: boolean;
  /** The present session has another title. */
  readonly onTitle?: (title: string) => void;
  /** Each event as it happens, however slow its readers are. */
  readonly onEvent?: (session: Session, event: SessionEvent) => void;
}

/** Another one who follows the conversation. */
export type ConversationWatcher = Pick<ConversationParts, "onSession" | "onEvent">;

/** What became of a wish to go elsewhere: when a hook objected, its reason, and nothing has changed. */
export interface Departure {
  readonly cancelled?: string;
  readonly unsent?: Unsent;
}
