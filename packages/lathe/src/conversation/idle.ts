// Compacts a large context while the user is away, some time after the last work.

import type { Session, SessionEvent } from "@lathe/agent";
import type { Workspace } from "../config/workspace/workspace.ts";
import type { Maintenance } from "./maintenance.ts";
import type { OpenSession } from "./session-contract.ts";

export class IdleCompaction {
  /** The workspace of the present session: a moved session has other settings. */
  readonly #workspace: () => Workspace;
  readonly #maintenance: Maintenance;
  #cancel = (): void => {};

  constructor(workspace: () => Workspace, maintenance: Maintenance) {
    this.#workspace = workspace;
    this.#maintenance = maintenance;
  }

  follow(open: OpenSession, event: SessionEvent): void {
    if (event.kind !== "state_changed" && event.kind !== "session_end") return;
    this.#cancel();
    const { settings, machine } = this.#workspace();
    if (!settings["compaction.idleEnabled"] || event.kind === "session_end" || event.data.to !== "idle") return;
    const timer = machine.deps.setTimer(
      () => void this.#compact(open),
      settings["compaction.idleTimeoutSeconds"] * 1000,
    );
    this.#cancel = () => timer.cancel();
  }

  async #compact({ session, compaction }: OpenSession): Promise<void> {
    if (!compaction.automatic || !this.#isLarge(session) || this.#maintenance.isRunning) return;
    await this.#maintenance.run(() => session.compact(compaction.compaction.demand({ trigger: "idle" })));
  }

  /** A fresh compaction leaves less than this threshold. */
  #isLarge(session: Session): boolean {
    return (
      session.state === "idle" && session.contextTokens > this.#workspace().settings["compaction.idleThresholdTokens"]
    );
  }
}
