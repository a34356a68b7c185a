// A journal entry on the wire as users see it: enough to draw the transcript without knowing tools or the session file.

import type { Static } from "@lathe/llm/schema";
import {
  choice,
  exactly,
  flag,
  integer,
  listOf,
  number,
  object,
  oneOf,
  optional,
  orNull,
  text,
} from "@lathe/llm/schema";
import { fileChange, wireCard } from "./card.ts";
import { wireMedia } from "./message.ts";

const fields = {
  entryId: text(),
  parentId: orNull(text()),
  timestamp: text(),
  label: optional(text()),
  /** Large parts were left out: the middle of a text, the data of a picture. `get_entry` returns all of it. */
  isCut: optional(exactly(true)),
};

const result = object({
  toolCallId: text(),
  toolName: text(),
  /** The outer call of a nested call. */
  nestedIn: optional(text()),
  isError: flag(),
  card: wireCard,
  /** The call did not run to its end: the process ended, or the user steered before it began. */
  settled: optional(choice(["interrupted", "skipped"])),
  durationMs: optional(integer()),
  /** `read_artifact` returns the whole output. */
  artifact: optional(object({ id: integer(), bytes: integer() })),
  changes: optional(listOf(fileChange)),
  images: listOf(wireMedia),
});

export const wireEntry = oneOf(
  object({
    type: exactly("user"),
    ...fields,
    /** The text without attachments. */
    text: text(),
    /** Names of attached files and piped text. */
    attached: listOf(text()),
    images: listOf(wireMedia),
    how: choice(["input", "steering", "follow_up"]),
  }),
  object({
    type: exactly("assistant"),
    ...fields,
    parts: listOf(
      oneOf(
        object({ kind: choice(["text", "thinking"]), text: text() }),
        object({ kind: exactly("image"), image: wireMedia }),
        /** `card` is only set if the journal has no result of the call. */
        object({ kind: exactly("call"), toolCallId: text(), toolName: text(), card: optional(wireCard) }),
      ),
    ),
    /** The form is `provider/model`. */
    model: optional(text()),
    tokens: optional(object({ input: integer(), cached: integer(), output: integer() })),
    /** In US dollars; absent if the price is unknown. */
    cost: optional(number()),
    /** What cut the answer short, in words; absent if it ended normally. */
    endedBy: optional(text()),
  }),
  /** Results of calls; each card replaces the one from `tool_execution_start`. */
  object({ type: exactly("results"), ...fields, results: listOf(result) }),
  /** A command that the user ran. */
  object({
    type: exactly("command"),
    ...fields,
    command: text(),
    output: text(),
    exitCode: orNull(integer()),
    cancelled: flag(),
    timedOut: flag(),
    /** Whether the model sees the command and its output. */
    isSent: flag(),
  }),
  /** Something that happened between messages; `of` is the entry's kind in the session file. */
  object({ type: exactly("note"), ...fields, of: text(), title: text(), text: optional(text()) }),
  /** An entry that users do not see. */
  object({ type: exactly("hidden"), ...fields, of: text() }),
);
/** A journal entry as users see it. */
export type WireEntry = Static<typeof wireEntry>;
