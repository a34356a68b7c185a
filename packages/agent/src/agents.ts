// @lathe/agent/agents: subagents in detail, and the messages between them.

export type { Exchange, ExchangeParts } from "./agents/irc/exchange.ts";
export type { LogParts } from "./agents/irc/log.ts";
export type { AgentGroup, Mailbox, OutsideAgents, RelayedMessage, StoredMessage } from "./agents/irc/types.ts";
export type { Wait } from "./agents/irc/waits.ts";
export { IsolatedAgents } from "./agents/isolation/isolated-agents.ts";
export { commitAuthor, commitTitle, plainCommitMessage } from "./agents/isolation/landing.ts";
export { type HowToDrop, leftOutLine } from "./agents/isolation/landing-text.ts";
export { type RecoveredWork, recoverAgentWork } from "./agents/isolation/left-work.ts";
export type { IsolatedAgentsOptions, LandingHistory } from "./agents/isolation/options.ts";
export { keepPatch } from "./agents/isolation/patches.ts";
export { type ChildStores, forkChildren } from "./agents/subagents/fork-children.ts";
export { type PastAgent, pastAgents } from "./agents/subagents/past-agents.ts";
export { startedAgent } from "./agents/subagents/records.ts";
export type {
  AgentRole,
  HostBatch,
  HostSubagents,
  IrcOptions,
  Isolation,
  IsolationRequest,
  LandedWork,
  LandingCall,
  LandingWish,
  Spawns,
} from "./agents/subagents/types.ts";
