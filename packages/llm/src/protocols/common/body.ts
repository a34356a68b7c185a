// Puts a JSON body together from already encoded text, so that history is never stringified again, and merges caller
// extras into the parameters that follow it.

import type { BodyPiece } from "../../types/adapter.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../types/json.ts";
import { encodeJson } from "./encode-json.ts";

export type Params = Record<string, JsonValue | undefined>;

/** One or more members of a list, in one text or in pieces. */
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

/** Shallow merge; members named in `nested` merge one level deeper so that both sides' entries survive. */
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

/** What provider options may not overwrite (CL-09). */
export const protectedFromOptions = (key: string): boolean => core.includes(key);

/** What configured extra bodies may not overwrite: also the tools. */
export const protectedFromExtraBody = (key: string): boolean =>
  core.includes(key) || key === "tools" || key === "tool_choice";
