// The price of an answer in US dollars.

import { costOf, type Usage } from "@lathe/llm";
import { answerAtOnce } from "../base/answer-at-once.ts";
import type { Profile } from "../tools/profiles/types.ts";
import type { HostChoices, ModelContext, SessionLog } from "./facades.ts";

/** Undefined if the price is not known, which is not the same as free. */
export function priceOf(
  core: SessionLog & HostChoices & ModelContext,
  profile: Profile,
  usage: Usage,
): number | undefined {
  const { model, modelInfo, provider = profile.id } = profile;
  const hostPrice = answerAtOnce(core.options.priceOf?.(model, usage), "priceOf", (message) =>
    core.warn(message, "callback_failed"),
  );
  if (hostPrice !== undefined) return hostPrice;
  if (modelInfo?.cost) return costOf(usage, modelInfo.cost, provider);
  return undefined;
}

/** Warns once per model, before anything is sent to it. */
export function warnOfUnknownPrice(core: SessionLog & ModelContext, { model, provider, id }: Profile): void {
  if (core.unpriced === model) return;
  core.unpriced = model;
  core.warn(
    `The price of ${provider ?? id}/${model} is not known, so the limit in dollars cannot be enforced.`,
    "unknown_price",
  );
}

/** The field as journal entries store it. */
export const costField = (cost: number | undefined): { readonly cost?: number } => (cost === undefined ? {} : { cost });
