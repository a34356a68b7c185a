// The action `run` of a session's tabs: runs a script on an open tab and reports what happened in the tab meanwhile.
// Loaded with the first script.

import type { ToolContext, ToolResult } from "@lathe/agent";
import { type BrowserRequest, runScript } from "@lathe/agent/tools";
import type { Tab } from "../tab.ts";
import { Scripts } from "./scripts.ts";

/** How long a result waits for requests that the script caused. */
const SETTLE_MS = 500;

export interface TabRunsOptions {
  readonly screenshotDir?: string | undefined;
  isConfined(): Promise<boolean>;
  /** Closes a tab whose script did not end. */
  discard(tab: Tab): Promise<void>;
}

export class TabRuns {
  readonly #options: TabRunsOptions;
  readonly #scripts = new Scripts();

  constructor(options: TabRunsOptions) {
    this.#options = options;
  }

  isBusy(tab: Tab): boolean {
    return this.#scripts.isBusy(tab.targetId);
  }

  async run(tab: Tab, request: BrowserRequest, context: ToolContext): Promise<ToolResult> {
    const { name, code = "", files = [], timeoutMs } = request;
    const { targetId } = tab;
    const isConfined = await this.#options.isConfined();
    tab.hosts?.touch();
    const scriptTab = {
      targetId,
      isAlone: tab.hosts !== undefined,
      isConfined,
      connect: () => tab.link.open(),
      discard: () => this.#options.discard(tab),
    };
    const { text, pictures, hasLostPage, isError } = await runScript(
      {
        screenshotDir: this.#options.screenshotDir,
        run: (script, host) => this.#scripts.run(scriptTab, script, host),
      },
      { tab: name, code, files, timeoutMs },
      context,
    );
    await tab.report.settle(SETTLE_MS);
    const address = tab.page.url();
    const lines = [
      text,
      ...(hasLostPage ? [`The tab was closed with it. Open it again.`] : []),
      ...tab.report.take(),
      ...((await tab.downloads?.take(context)) ?? []),
    ];
    return {
      content: [{ kind: "text", text: lines.join("\n") }, ...pictures],
      details: { name, url: address },
      isError,
      effects: isError ? "unknown" : "done",
      fromWeb: { source: address, links: [] },
    };
  }

  async end(tab: Tab): Promise<void> {
    await this.#scripts.end(tab.targetId);
  }

  async close(): Promise<void> {
    await this.#scripts.close();
  }
}
