// Data that a client has to send back although its format has no field for it: signatures of thinking and calls, and
// the model that made them. It travels as opaque text where the format has opaque text from the vendor (a thinking
// signature, encrypted reasoning). If a client changes it, the vendor refuses it, or we ignore it.

import { textOfBase64, toBase64 } from "../../media/base64.ts";
import { callIdOf } from "../../protocols/common/ids.ts";
import { isJsonObject, type JsonValue, parseJson } from "../../types/json.ts";
import type { ContentPart, Origin, ThinkingData } from "../../types/message.ts";

/** The prefix of these texts. */
const PREFIX = "lathe1_";

/** A signed thought, or data that belongs to the calls of an answer. */
export interface Carried {
  readonly origin: Origin;
  readonly signature?: string | undefined;
  readonly redacted?: boolean | undefined;
  /** Thoughts with their text, if the format cannot keep several apart. */
  readonly thoughts?: readonly CarriedThought[] | undefined;
  readonly calls?: readonly CarriedCall[] | undefined;
}

/** A thought of an answer. */
interface CarriedThought {
  readonly text: string;
  readonly signature?: string | undefined;
  readonly redacted: boolean;
  readonly itemId?: string | undefined;
}

/** What the vendor wants back with a call. */
interface CarriedCall {
  readonly id: string;
  readonly signature?: string | undefined;
  readonly itemId?: string | undefined;
}

/** Encodes the opaque text. */
export function carry(carried: Carried): string {
  const bytes = new TextEncoder().encode(JSON.stringify(carried));
  return PREFIX + toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Decodes an opaque text; undefined if we did not write it. */
export function carriedIn(text: string): Carried | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  const base64 = text.slice(PREFIX.length).replaceAll("-", "+").replaceAll("_", "/");
  if (!/^[A-Za-z0-9+/]+$/.test(base64) || base64.length % 4 === 1) return undefined;
  const value = parseJson(textOfBase64(base64.padEnd(Math.ceil(base64.length / 4) * 4, "=")));
  const origin = isJsonObject(value) ? originOf(value["origin"]) : undefined;
  if (!isJsonObject(value) || origin === undefined) return undefined;
  const { signature, redacted, thoughts, calls } = value;
  return {
    origin,
    ...signatureIn(signature),
    redacted: redacted === true,
    thoughts: objects(thoughts).map((thought) => ({
      text: typeof thought["text"] === "string" ? thought["text"] : "",
      ...signatureIn(thought["signature"]),
      redacted: thought["redacted"] === true,
      ...itemIn(thought["itemId"]),
    })),
    calls: objects(calls).flatMap((call) =>
      typeof call["id"] === "string"
        ? [{ id: call["id"], ...signatureIn(call["signature"]), ...itemIn(call["itemId"]) }]
        : [],
    ),
  };
}

/** The signature of a thought for a client. A thought without a signature still names its model. */
export function carriedThinking({ signature, redacted, origin }: ThinkingData): string | undefined {
  if (origin === undefined) return signature;
  return carry({ origin, signature, ...(redacted ? { redacted } : {}) });
}

/** What a client must send back in addition to the visible parts; undefined if there is nothing. */
export function carriedBeside(
  parts: readonly ContentPart[],
  wants: { readonly thoughts: boolean; readonly items: boolean },
): string | undefined {
  const origins: Origin[] = [];
  const thoughts = parts.flatMap((part): CarriedThought[] => {
    if (!wants.thoughts || (part.kind !== "thinking" && part.kind !== "redacted_thinking")) return [];
    const { text, signature, redacted, origin } = part.thinking;
    if (signature === undefined || origin === undefined) return [];
    origins.push(origin);
    return [{ text, signature, redacted, itemId: origin.itemId }];
  });
  const calls = parts.flatMap((part): CarriedCall[] => {
    if (part.kind !== "tool_call") return [];
    const { id, signature, origin } = part.toolCall;
    const itemId = wants.items ? origin?.itemId : undefined;
    if (origin === undefined || (signature === undefined && itemId === undefined)) return [];
    origins.push(origin);
    return [{ id: callIdOf(id), signature, itemId }];
  });
  const [first] = origins;
  if (first === undefined) return undefined;
  return carry({ origin: { provider: first.provider, model: first.model }, thoughts, calls });
}

function originOf(value: JsonValue | undefined): Origin | undefined {
  if (!isJsonObject(value) || typeof value["provider"] !== "string" || typeof value["model"] !== "string")
    return undefined;
  return { provider: value["provider"], model: value["model"], ...itemIn(value["itemId"]) };
}

/** A signature that looks like JSON must be valid, because encoders parse such signatures. */
function signatureIn(value: JsonValue | undefined): { readonly signature?: string } {
  if (typeof value !== "string" || value === "" || !isReadableSignature(value)) return {};
  return { signature: value };
}

/** Whether an encoder can parse it. */
export function isReadableSignature(signature: string): boolean {
  if (!signature.startsWith("{")) return true;
  const value = parseJson(signature);
  if (!isJsonObject(value)) return false;
  const { reasoning_details: details = [], extra_content: extra = {} } = value;
  return Array.isArray(details) && details.every(isJsonObject) && isJsonObject(extra);
}

function itemIn(value: JsonValue | undefined): { readonly itemId?: string } {
  return typeof value === "string" && /^[\w-]{1,128}$/.test(value) ? { itemId: value } : {};
}

const objects = (value: JsonValue | undefined) => (Array.isArray(value) ? value.filter(isJsonObject) : []);
