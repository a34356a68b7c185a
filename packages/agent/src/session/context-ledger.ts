// The ledger of a session's next request, with the prefix that was last sent or would be sent.

import type { ContextLedger } from "../context/ledger/types.ts";
import type { HostChoices, ModelContext, SessionLog, Toolbox } from "./facades.ts";
import { describeRequest, describeWithPrefix, renderPrefix } from "./request.ts";

export async function sessionContextLedger(
  core: SessionLog & HostChoices & ModelContext & Toolbox,
): Promise<ContextLedger> {
  const { contextLedger } = await import("../context/ledger/ledger.ts");
  const inUse = core.stalePrefix ? undefined : core.prefix.texts;
  const texts = inUse ?? (await renderPrefix(core));
  const live = inUse ? describeRequest(core) : describeWithPrefix(core, texts);
  // The session may be working, so its list of entries may grow.
  const info = { ...live, entryIds: live.entryIds.slice() };
  const bodyBytes = await core.client.bodyBytes?.(info.request);
  return contextLedger({
    info,
    bodyBytes,
    segments: core.client.segments?.(info.request) ?? [],
    promptParts: texts.promptParts,
    journal: core.journal,
    // The vendor's count is for the prefix in use.
    ...(inUse ? { counted: info.contextTokens } : {}),
  });
}
