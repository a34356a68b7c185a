// Where cache breakpoints go (PC-02). The vendor allows four: the newest user message carries the conversation, the one
// before it finds what the last request wrote, system and tools survive when the conversation is shortened.

import type { CacheControl } from "../../types/message.ts";
import type { EncodeInput } from "../../types/protocol.ts";
import type { Block } from "./blocks.ts";
import type { WireGroup } from "./groups.ts";
import { groupBlocks } from "./groups.ts";
import type { Marked } from "./history.ts";

const maxMarkers = 4;

interface MarkerPlan {
  readonly tools?: CacheControl;
  readonly system?: CacheControl;
  /** By index of the group: the block in it that gets a marker. */
  readonly groups: ReadonlyMap<number, Marked>;
}

interface MarkerInput {
  readonly tools: readonly Block[];
  readonly system: readonly Block[];
  readonly groups: readonly WireGroup[];
  /** All markers that the caller placed. */
  readonly explicit: readonly CacheControl[];
  /** The automatic marker; undefined if none are placed. */
  readonly automatic: CacheControl | undefined;
}

export function planMarkers({ tools, system, groups, explicit, automatic }: MarkerInput): MarkerPlan {
  const placed = new Map<number, Marked>();
  if (automatic === undefined) return { groups: placed };
  const control = alike(automatic, explicit);
  let left = maxMarkers - explicit.length;
  for (const index of newestUserGroups(groups)) {
    const blocks = groupBlocks(groups[index]!);
    const block = blocks.findLastIndex((candidate) => candidate.markable);
    if (left <= 0 || block < 0 || blocks[block]!.marker) continue;
    placed.set(index, { block, control });
    left -= 1;
  }
  const take = (blocks: readonly Block[]): boolean => {
    const last = blocks.at(-1);
    if (left <= 0 || last === undefined || last.marker) return false;
    left -= 1;
    return true;
  };
  return {
    groups: placed,
    ...(take(system) ? { system: control } : {}),
    ...(take(tools) ? { tools: control } : {}),
  };
}

/** Uses `ttl: "1h"` only if the vendor itself is known to accept it (PC-03). */
export function automaticMarker(input: EncodeInput, longHost: boolean): CacheControl | undefined {
  if (input.cacheRetention === "none") return undefined;
  const long = input.cacheRetention === "long" && input.model.supportsLongCacheRetention === true && longHost;
  return long ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
}

/** A longer lifetime may not follow a shorter one, so automatic markers use the caller's lifetime. */
function alike(automatic: CacheControl, explicit: readonly CacheControl[]): CacheControl {
  if (explicit.length === 0) return automatic;
  return explicit.every((marker) => marker.ttl === "1h") ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
}

function newestUserGroups(groups: readonly WireGroup[]): number[] {
  const found: number[] = [];
  for (let index = groups.length - 1; index >= 0 && found.length < 2; index -= 1) {
    if (groups[index]!.role === "user") found.push(index);
  }
  return found;
}
