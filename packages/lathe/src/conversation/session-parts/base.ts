// What the parts of a session share. Each part names the few fields it needs.

import type { ExecutionEnvironment, Profile } from "@lathe/agent";
import type { RunningCommands } from "@lathe/agent/tools";
import type { LazyIsolation } from "../../changes/isolation/lazy-isolation.ts";
import type { FileHistory } from "../../changes/rewind/file-history.ts";
import type { AccountChoices } from "../../config/credentials/accounts/choices.ts";
import type { SessionAgents } from "../../found/agents/session-agents.ts";
import type { Permissions } from "../../found/permissions/permissions.ts";
import type { SessionCompaction } from "../compaction.ts";
import type { SessionRequest } from "../session-contract.ts";
import type { SessionHandle } from "../session-handle.ts";
import type { SessionModels } from "../session-models.ts";
import type { SessionSurroundings } from "../session-surroundings.ts";
import type { SessionWorkspace } from "../session-workspace.ts";
import type { SwitchableClient } from "../switchable-client.ts";

export interface SessionBase {
  readonly workspace: SessionWorkspace;
  readonly request: SessionRequest;
  readonly session: SessionHandle;
  readonly permissions: Permissions;
  readonly env: ExecutionEnvironment;
  /** Which account of a provider is in use, if there are several. */
  readonly accounts: AccountChoices;
  readonly client: SwitchableClient;
  readonly models: SessionModels;
  /** The profile of the session's first model. */
  readonly profile: Profile;
  readonly surroundings: SessionSurroundings;
  readonly compaction: SessionCompaction;
  readonly runningCommands: RunningCommands;
  /** Absent if files cannot be rewound. */
  readonly history: FileHistory | undefined;
  /** Absent if agents cannot work in isolation. */
  readonly isolation: LazyIsolation | undefined;
  readonly agents: SessionAgents;
}
