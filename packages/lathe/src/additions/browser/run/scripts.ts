// The scripts of a session's tabs: one process per tab that runs scripts, and one script at a time. A process ends when
// idle and with its tab.

import { LocalEnvironment, ToolFailure } from "@lathe/agent";
import type { TabScript, TabScriptEnd, TabScriptHost } from "@lathe/agent/tools";
import type { CdpClient } from "../cdp-link.ts";
import { ScriptProcess } from "./script-process.ts";

const IDLE_MS = 5 * 60_000;

/** What scripts need of a tab. */
export interface ScriptTab {
  readonly targetId: string;
  /** The tab shares its cookies and storage with no other tab. */
  readonly isAlone: boolean;
  /** Bubblewrap is available for the process. */
  readonly isConfined: boolean;
  /** Opens a connection to the tab's browser for the process alone. */
  connect(): Promise<CdpClient>;
  /** Closes the page, because a script that did not end may have left it in any state. */
  discard(): Promise<void>;
}

interface Slot {
  process?: ScriptProcess | undefined;
  isBusy: boolean;
  idle?: NodeJS.Timeout;
}

export class Scripts {
  /** Slots by target id of the tab. */
  readonly #slots = new Map<string, Slot>();
  /** The environment of the browser, which may differ from the one where commands run. */
  readonly #env = new LocalEnvironment({ cwd: "/", baseEnv: { PATH: "/usr/local/bin:/usr/bin:/bin" } });
  #isClosed = false;

  async run(tab: ScriptTab, script: TabScript, host: TabScriptHost): Promise<TabScriptEnd> {
    const { tab: name, code, timeoutMs } = script;
    const slot = this.#slots.get(tab.targetId) ?? { isBusy: false };
    if (this.#isClosed) throw new ToolFailure("The session has ended.");
    if (slot.isBusy) throw new ToolFailure(`Tab "${name}" is busy: another script runs on it. Wait for its end.`);
    this.#slots.set(tab.targetId, slot);
    slot.isBusy = true;
    clearTimeout(slot.idle);
    try {
      slot.process ??= await this.#start(tab, slot);
      const { process } = slot;
      const end = await process.run(code, timeoutMs, host);
      // Lasting changes to the tab's requests end with the process that made them, so the process ends with the script.
      if (process.hasLasting) await process.stop();
      if (end.status === "timed_out") await tab.discard();
      return end;
    } finally {
      slot.isBusy = false;
      slot.idle = setTimeout(() => void this.end(tab.targetId), IDLE_MS).unref();
    }
  }

  isBusy(targetId: string): boolean {
    return this.#slots.get(targetId)?.isBusy ?? false;
  }

  /** Ends the process of a tab, if it has one. */
  async end(targetId: string): Promise<void> {
    const slot = this.#slots.get(targetId);
    this.#slots.delete(targetId);
    clearTimeout(slot?.idle);
    await slot?.process?.stop();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#slots.keys()].map((targetId) => this.end(targetId)));
    await this.#env.cleanup();
  }

  async #start(tab: ScriptTab, slot: Slot): Promise<ScriptProcess> {
    const { targetId, isAlone, isConfined } = tab;
    const start = { env: this.#env, client: await tab.connect(), targetId, isAlone, isConfined };
    const process = await ScriptProcess.start(start);
    void process.ended.then(() => {
      if (slot.process === process) slot.process = undefined;
    });
    if (this.#isClosed) await process.stop();
    return process;
  }
}
