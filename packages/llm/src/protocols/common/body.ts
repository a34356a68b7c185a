// Assembles a JSON body from text that is already encoded, so that history is never stringified again, and merges the
// caller's extras into the parameters after it.

import type { BodyPiece } from "../../types/adapter.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../types/json.ts";
import { encodeJson } from "./encode-json.ts";

export type Params = Record<string, JsonValue | undefined>;

/** One or more members of a list, as one text or in pieces. */
export type BodyPart = string | readonly BodyPiece[];

/** Encoded members first (the cacheable prefix), then parameters. `undefined` parameters are omitted. */
export function assembleBody(
  model: string,
  members: readonly { key: string; open: string; parts: readonly BodyPart[]; close: string }[],
  params: Params,
): BodyPiece[] {
  const body: BodyPiece[] = [`{"model":${encodeJson(model)}`];
  for (const { key, open, parts, close } of members) {
    body.push(`,"${key}":${open}`, ...joinParts(parts));
    if (close) body.push(close);
  }
  const tail = encodeJson(params);
  body.push(tail === "{}" ? "}" : `,${tail.slice(1)}`);
  return body;
}

/** Joins parts with commas. */
export function joinParts(parts: readonly BodyPart[]): BodyPiece[] {
  const pieces: BodyPiece[] = [];
  for (const part of parts) {
    if (pieces.length > 0) pieces.push(",");
    if (typeof part === "string") pieces.push(part);
    else pieces.push(...part);
  }
  return pieces;
}

/** Shallow merge. Members named in `nested` are merged one level deeper, so that entries of both sides survive. */
export function mergeExtras(
  params: Params,
  extras: JsonObject | undefined,
  isProtected: (key: string) => boolean,
  nested: readonly string[] = [],
): void {
  for (const [key, value] of Object.entries(extras ?? {})) {
    if (isProtected(key)) continue;
    const present = params[key];
    params[key] =
      nested.includes(key) && isJsonObject(present) && isJsonObject(value) ? { ...present, ...value } : value;
  }
}

const core = ["model", "messages", "input", "contents", "stream"];

/** Members that provider options may not overwrite (CL-09). */
export const protectedFromOptions = (key: string): boolean => core.includes(key);

/** Members that a configured extra body may not overwrite, which includes the tools. */
export const protectedFromExtraBody = (key: string): boolean =>
  core.includes(key) || key === "tools" || key === "tool_choice";
