// A call on the wire as users see it: its card, the files it changed, and the preview that is shown for approval.

import type { Card, CardBody, CardLine, PreviewLine } from "@lathe/agent";
import type { ContentRef, FileChange } from "@lathe/agent/contract";
import { choice, exactly, flag, integer, listOf, object, oneOf, optional, type Schema, text } from "@lathe/llm/schema";

const cardLine: Schema<CardLine> = object({
  text: text(),
  kind: optional(choice(["heading", "note", "open", "current", "done", "dropped"])),
});

const collapsed = { collapsed: integer() };
const cardBody: Schema<CardBody> = oneOf(
  object({ kind: exactly("output"), text: text(), keeps: choice(["head", "tail"]), ...collapsed }),
  object({ kind: exactly("lines"), lines: listOf(cardLine), brief: optional(listOf(cardLine)), ...collapsed }),
  object({ kind: exactly("diff"), files: listOf(object({ path: text(), diff: text() })), ...collapsed }),
  object({ kind: exactly("markdown"), text: text(), ...collapsed }),
);

/** How to show a call without knowing its tool; see `Card` of the agent. */
export const wireCard: Schema<Card> = object({
  verb: text(),
  subject: text(),
  namesFiles: optional(flag()),
  outcome: optional(text()),
  failed: optional(flag()),
  body: optional(cardBody),
  group: optional(exactly("explored")),
  asks: optional(flag()),
  canDetach: optional(flag()),
});

/** A reference into the session's blob store. */
const contentRef: Schema<ContentRef> = object({ sha256: text(), bytes: integer() });
/** One file before and after a call; without `before` it is new, without `after` it was deleted. */
export const fileChange: Schema<FileChange> = object({
  path: text(),
  before: optional(contentRef),
  after: optional(contentRef),
  added: integer(),
  removed: integer(),
});

/** Lines without a kind are context or plain text. */
export const previewLine: Schema<PreviewLine> = object({
  text: text(),
  kind: optional(choice(["question", "heading", "added", "removed", "note"])),
});
