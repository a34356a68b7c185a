// The child agents of one session.

import type { SessionCore } from "../session/core.ts";
import type { Session } from "../session/session.ts";
import type { SessionOptions } from "../session/types.ts";
import type { AgentReport, SpawnRequest, SubagentService } from "./types.ts";

export class Subagents implements SubagentService {
  readonly #core: SessionCore;
  readonly enabled: boolean;
  constructor(core: SessionCore, _create: (options: SessionOptions) => Session) {
    this.#core = core;
    this.enabled = (core.options.depth ?? 0) < core.config.maxSubagentDepth;
  }
  spawn(_request: SpawnRequest): Promise<AgentReport> {
    throw new Error(`not yet ${this.#core.id}`);
  }
  send(_agentId: string, _message: string): Promise<AgentReport> {
    throw new Error("not yet");
  }
  wait(_agentId: string, _signal: AbortSignal): Promise<AgentReport> {
    throw new Error("not yet");
  }
  close(_agentId: string): Promise<AgentReport> {
    throw new Error("not yet");
  }
  interruptAll(): void {}
  async closeAll(): Promise<void> {}
  recover(): void {}
}
