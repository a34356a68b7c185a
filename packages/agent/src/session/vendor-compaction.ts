// Asks the vendor of the session's model for a shorter form of the history that means the same to its models. Makes one
// attempt, because the caller has another way.

import { comparableUsage, type JsonObject, type Message, type Response } from "@lathe/llm";
import { Checker, openObject, text } from "@lathe/llm/schema";
import { plainUsage } from "../base/budget/ledger.ts";
import { withDeadline } from "../base/time/deadline.ts";
import type { VendorCompaction } from "../contract/seams/types.ts";
import type { HostChoices, ModelContext, SessionLog, Work } from "./facades.ts";
import { costField, priceOf } from "./price.ts";
import { reserve, reserveSideRequest } from "./reserve.ts";
import { digestOf, GRACE_MS, keptOutcome, OUTCOME_TYPE, settleCut } from "./side-call.ts";

const ROLE = "vendor_compaction";

export async function vendorCompaction(
  core: SessionLog & HostChoices & ModelContext & Work,
  messages: readonly Message[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<VendorCompaction | undefined> {
  const { client, profile } = core;
  if (!client.compact) return undefined;
  const provider = profile.provider ?? profile.id;
  const request = { provider, model: profile.model, messages };
  const key = digestOf(request);
  const known = keptOutcome(core.journal, key, KEPT);
  const of = (item: JsonObject, tokens: number): VendorCompaction => ({
    history: { provider, model: profile.model, item },
    tokens,
  });
  if (known) return of(known["item"] as JsonObject, tokensOf(known["item"] as JsonObject));
  const reservation = reserveSideRequest(core, profile, request, false);
  const { intent, release } = await reserve(core, "maintenance", reservation);
  try {
    const limits = { what: "the provider's compaction", ms: timeoutMs, graceMs: GRACE_MS, signal };
    const work = withDeadline(core.deps, limits, (inner) => client.compact!(request, { signal: inner }));
    const response = await work.finally(release);
    if (!response) {
      core.journal.settle(intent.id, "cancelled");
      return undefined;
    }
    const { usage } = response;
    const cost = priceOf(core, profile, usage);
    const item = compactedItem(response);
    core.append({
      type: "custom",
      id: intent.for,
      customType: OUTCOME_TYPE,
      data: {
        role: ROLE,
        model: `${provider}/${profile.model}`,
        usage: plainUsage(comparableUsage(usage, provider)),
        ...costField(cost),
        ...(item ? { key, item } : {}),
      },
    });
    core.account(usage, provider, cost ?? 0);
    if (!item) throw new Error("the answer holds no compacted history");
    return of(item, tokensOf(item));
  } catch (error) {
    if (!core.journal.has(intent.for)) settleCut(core, intent, { reservation, error, signal });
    throw error;
  }
}

const itemShape = openObject({ encrypted_content: text() });
const ITEM = new Checker(itemShape);
const KEPT = new Checker(openObject({ key: text(), item: itemShape }));

/** The answer repeats the user's messages, which a compaction keeps by its own rules; the rest is one item. */
function compactedItem({ message }: Response): JsonObject | undefined {
  const items = message.content.flatMap((part) => (part.kind === "unknown" ? [part.raw as JsonObject] : []));
  return items.find((item) => item["type"] === "compaction" && ITEM.fits(item) && item["encrypted_content"] !== "");
}

/** The text is encrypted. The vendor counts its content, which is not longer. */
const tokensOf = (item: JsonObject): number => Math.ceil(String(item["encrypted_content"]).length / 4);
