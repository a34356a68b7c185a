// Journals the addresses that the user types, before commands and files are expanded: texts from those are not the
// user's own.

import type { InputContent } from "@lathe/agent";
import { TYPED, typedAddresses } from "../found/permissions/shown-addresses.ts";
import type { OpenSession } from "./session-contract.ts";

const MOST_TYPED = 200;

export function recordTyped(content: InputContent, { permissions, session }: OpenSession): void {
  if (!permissions.shown) return;
  const typed = typedTexts(content).flatMap(typedAddresses);
  if (typed.length > 0) session.appendCustom(TYPED, [...new Set(typed)].slice(0, MOST_TYPED));
}

/** Whether a text is an attached file or piped input. */
export const isAttachedText = (text: string): boolean => /^\s*<(?:file path="|stdin>)/.test(text);

/** The typed texts without attachments; if nothing was typed, the attachment is the prompt. */
function typedTexts(content: InputContent): readonly string[] {
  if (typeof content === "string") return [content];
  const texts = content.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  const typed = texts.filter((text) => !isAttachedText(text));
  return typed.some((text) => text.trim() !== "") ? typed : texts;
}
