// The scripts of a session's tabs: one process for each tab that runs any, one script at a time. A process ends when idle and with its tab.

import { ToolFailure } from "@lathe/agent";
import type { TabScript, TabScriptEnd, TabScriptHost, TabScripts } from "@lathe/agent/tools";
import type { CdpClient } from "../cdp-link.ts";
import { ScriptProcess } from "./script-process.ts";

const IDLE_MS = 5 * 60_000;

/** A tab as its scripts need it. */
export interface ScriptTab {
  readonly targetId: string;
  /** There is a bubblewrap for the process. */
  readonly isConfined: boolean;
  /** A connection to the tab's browser for the process alone. */
  connect(): Promise<CdpClient>;
  /** Closes the page: a script that did not end may have left it in any state. */
  discard(): Promise<void>;
}

export interface ScriptsOptions {
  /** Fails with a ToolFailure where there is no such tab. */
  readonly tabNamed: (name: string) => ScriptTab;
  readonly screenshotDir?: string | undefined;
}

interface Slot {
  process?: ScriptProcess | undefined;
  isBusy: boolean;
  idle?: NodeJS.Timeout;
}

export class Scripts implements TabScripts {
  readonly screenshotDir: string | undefined;
  readonly #tabNamed: (name: string) => ScriptTab;
  /** By the tab's target. */
  readonly #slots = new Map<string, Slot>();
  #isClosed = false;

  constructor({ tabNamed, screenshotDir }: ScriptsOptions) {
    this.#tabNamed = tabNamed;
    this.screenshotDir = screenshotDir;
  }

  async run({ tab: name, code, timeoutMs }: TabScript, host: TabScriptHost): Promise<TabScriptEnd> {
    const tab = this.#tabNamed(name);
    const slot = this.#slots.get(tab.targetId) ?? { isBusy: false };
    if (this.#isClosed) throw new ToolFailure("The session has ended.");
    if (slot.isBusy) throw new ToolFailure(`Tab "${name}" is busy: another script runs on it. Wait for its end.`);
    this.#slots.set(tab.targetId, slot);
    slot.isBusy = true;
    clearTimeout(slot.idle);
    try {
      slot.process ??= await this.#start(tab, slot, host);
      const end = await slot.process.run(code, timeoutMs, host);
      if (end.status === "timed_out") await tab.discard();
      return end;
    } finally {
      slot.isBusy = false;
      slot.idle = setTimeout(() => void this.end(tab.targetId), IDLE_MS).unref();
    }
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
  }

  async #start(tab: ScriptTab, slot: Slot, { env }: TabScriptHost): Promise<ScriptProcess> {
    const { targetId, isConfined } = tab;
    const process = await ScriptProcess.start({ env, client: await tab.connect(), targetId, isConfined });
    void process.ended.then(() => {
      if (slot.process === process) slot.process = undefined;
    });
    if (this.#isClosed) await process.stop();
    return process;
  }
}
