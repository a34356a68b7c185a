// Makes an entry sendable again after one of its blobs was lost: an image becomes a line of text that says so.

import { BlobRef } from "./payload.ts";

export function repairMissing(value: Record<string, unknown>): Record<string, unknown> {
  return repair(value) as Record<string, unknown>;
}

function repair(value: unknown): unknown {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.filter((inner) => !isLostMedia(inner)).map(repair);
  const record = value as Record<string, unknown>;
  const media = typeof record["kind"] === "string" ? record[record["kind"]] : undefined;
  if (isLostMedia(media)) return { kind: "text", text: notice(String(record["kind"]), media.data) };
  return Object.fromEntries(Object.entries(record).map(([key, inner]) => [key, repair(inner)]));
}

function isLostMedia(value: unknown): value is { data: BlobRef } {
  return typeof value === "object" && value !== null && "data" in value && value.data instanceof BlobRef;
}

function notice(kind: string, blob: BlobRef): string {
  return `[${kind} lost: its stored data ${blob.hash.slice(0, 12)} is missing]`;
}
