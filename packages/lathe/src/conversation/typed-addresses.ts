// Keeps the addresses of what a user types in the journal, before commands and files are put in its place: those texts are not theirs.

import type { InputContent } from "@lathe/agent";
import { TYPED, typedAddresses } from "../found/permissions/shown-addresses.ts";
import type { OpenSession } from "./session-contract.ts";

const MOST_TYPED = 200;

export function recordTyped(content: InputContent, { permissions, session }: OpenSession): void {
  if (!permissions.shown) return;
  const typed = typedTexts(content).flatMap(typedAddresses);
  if (typed.length > 0) session.appendCustom(TYPED, [...new Set(typed)].slice(0, MOST_TYPED));
}

/** A file or a piped text that goes along with what was typed, whatever its name is. */
export const isAttachedText = (text: string): boolean => /^\s*<(?:file path="|stdin>)/.test(text);

/** Not what goes along; where nothing else was given, one of those is the prompt. */
function typedTexts(content: InputContent): readonly string[] {
  if (typeof content === "string") return [content];
  const texts = content.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  const typed = texts.filter((text) => !isAttachedText(text));
  return typed.some((text) => text.trim() !== "") ? typed : texts;
}
