// GET /v1/models: the models that the caller may use, in the format of its client.

import type { ModelInfo } from "@lathe/llm";
import type { Call } from "../../http/call.ts";
import type { Caller } from "../server/callers.ts";
import type { GatewayParts } from "../server/parts.ts";

export function modelList({ incoming }: Call, caller: Caller, { models }: GatewayParts): unknown {
  const offered = withIds(models.list(caller.key));
  if (incoming.headers["anthropic-version"] === undefined)
    return {
      object: "list",
      data: offered.map(({ id, model }) => ({ id, object: "model", created: 0, owned_by: model.provider })),
    };
  const data = offered.map(({ id, model }) => ({
    type: "model",
    id,
    display_name: model.displayName,
    created_at: createdAt(model),
  }));
  return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

/** A bare id means the first model of that name; further ones carry their provider. */
function withIds(models: readonly ModelInfo[]): readonly { readonly id: string; readonly model: ModelInfo }[] {
  const taken = new Set<string>();
  return models.map((model) => {
    const id = taken.has(model.id) ? `${model.provider}/${model.id}` : model.id;
    taken.add(model.id);
    return { id, model };
  });
}

const createdAt = ({ releaseDate }: ModelInfo): string =>
  /^\d{4}-\d{2}-\d{2}$/.test(releaseDate ?? "") ? `${releaseDate}T00:00:00Z` : "1970-01-01T00:00:00Z";
