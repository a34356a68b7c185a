// Request transforms for proxies: what a profile means, and how a provider's and a model's transforms combine.

import type { RequestTransform } from "../types/model.ts";

/** Headers that a plain OpenAI-compatible proxy does not need. */
const proxyStrip: readonly string[] = ["openai-organization", "openai-project", "openai-beta", "user-agent"];
const proxySet: Readonly<Record<string, string>> = { "user-agent": "lathe" };

/** The model's fields win; `setHeaders` and `extraBody` merge key by key. */
export function mergeTransforms(
  provider: RequestTransform | undefined,
  model: RequestTransform | undefined,
): RequestTransform | undefined {
  if (!provider && !model) return undefined;
  const profile = model?.profile ?? provider?.profile;
  const stripHeaders = model?.stripHeaders ?? provider?.stripHeaders ?? (profile ? proxyStrip : undefined);
  const setHeaders = { ...(profile ? proxySet : {}), ...provider?.setHeaders, ...model?.setHeaders };
  const extraBody = { ...provider?.extraBody, ...model?.extraBody };
  return {
    ...(stripHeaders === undefined ? {} : { stripHeaders }),
    ...(Object.keys(setHeaders).length === 0 ? {} : { setHeaders }),
    ...(Object.keys(extraBody).length === 0 ? {} : { extraBody }),
  };
}
