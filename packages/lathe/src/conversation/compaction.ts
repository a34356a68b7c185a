// Compaction as the settings configure it. The library decides when and what to compact; this passes it the settings
// and the summary service, if one is configured.

import { Compaction, type CompactionSettings } from "@lathe/agent";
import type { Summarizer } from "@lathe/agent/context";
import { RECALL_POINTER } from "@lathe/agent/tools";
import type { Workspace } from "../config/workspace/workspace.ts";

export interface SessionCompaction {
  readonly compaction: Compaction;
  readonly settings: CompactionSettings;
  /** False: compaction only runs on demand. */
  automatic: boolean;
}

export function compactionFor(workspace: Workspace): SessionCompaction {
  const { settings } = workspace;
  const self: SessionCompaction = {
    automatic: settings["compaction.enabled"],
    get settings(): CompactionSettings {
      return {
        enabled: self.automatic,
        strategy: settings["compaction.strategy"] as CompactionSettings["strategy"],
        reserveTokens: settings["compaction.reserveTokens"],
        keepRecentTokens: settings["compaction.keepRecentTokens"],
        thresholdPercent: settings["compaction.thresholdPercent"],
        thresholdTokens: settings["compaction.thresholdTokens"],
        autoContinue: settings["compaction.autoContinue"],
        vendorCompaction: settings["compaction.remoteEnabled"],
        timeoutMs: settings["compaction.timeoutSeconds"] * 1000,
      };
    },
    compaction: new Compaction({
      settings: () => self.settings,
      summarizer: remoteSummarizer(workspace),
      pointer: RECALL_POINTER,
    }),
  };
  return self;
}

function remoteSummarizer(workspace: Workspace): Summarizer | undefined {
  const { settings } = workspace;
  const endpoint = settings["compaction.remoteEndpoint"];
  if (endpoint === "" || !settings["compaction.remoteEnabled"]) return undefined;
  return async (systemPrompt, prompt, context) => {
    const { remoteSummary } = await import("./remote-summary.ts");
    return remoteSummary(workspace, endpoint, { systemPrompt, prompt }, context.signal);
  };
}
