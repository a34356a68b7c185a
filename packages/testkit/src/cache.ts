// Prompt caching as the vendor sees it: the common prefix of request bodies, and a simulation of the vendors' caches.

import type { RecordedRequest } from "./record.ts";
import type { DialectName } from "./routes.ts";
import type { ScriptedUsage } from "./turn.ts";

const MARKERS = /,"cache_control":\{[^{}]*\}|"cache_control":\{[^{}]*\},?|,\{"cachePoint":\{[^{}]*\}\}/g;

/** The body without cache markers, which move from request to request and are not part of what is cached. */
function withoutMarkers(request: RecordedRequest): string {
  return request.text.replace(MARKERS, "");
}

export interface PrefixStep {
  /** Index of the later request of the pair. */
  readonly index: number;
  readonly prefix: string;
  /** What the earlier request had after the common prefix. */
  readonly lostTail: string;
}

/** For each two successive requests, the longest common prefix of their bodies without cache markers. */
export function commonPrefix(requests: readonly RecordedRequest[]): PrefixStep[] {
  return requests.slice(1).map((request, i) => {
    const earlier = withoutMarkers(requests[i]!);
    const length = prefixLength(earlier, withoutMarkers(request));
    return { index: request.index, prefix: earlier.slice(0, length), lostTail: earlier.slice(length) };
  });
}

function prefixLength(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let i = 0;
  while (i < limit && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  return i;
}

/** Vendors whose input count excludes cached tokens and that charge for cache writes. */
const EXCLUSIVE: ReadonlySet<DialectName> = new Set(["anthropic", "bedrock"]);

export class PromptCache {
  readonly #bodies: string[] = [];

  /** The usage that the vendor's cache would report for this request. */
  usageFor(request: RecordedRequest, dialect: DialectName): (usage: ScriptedUsage) => ScriptedUsage {
    const body = withoutMarkers(request);
    const hit = this.#bodies.reduce((best, earlier) => Math.max(best, prefixLength(earlier, body)), 0);
    this.#bodies.push(body);
    const total = Math.ceil(body.length / 4);
    const exclusive = EXCLUSIVE.has(dialect);
    const marked = body.length !== request.text.length;
    const read = exclusive && !marked ? 0 : Math.floor(hit / 4);
    return (usage) => {
      if (!exclusive) return { ...usage, input: total, cacheRead: read };
      const written = marked ? total - read : 0;
      return { ...usage, input: total - read - written, cacheRead: read, cacheWrite: written };
    };
  }
}
