// An entry of the journal as people see it, on the wire: enough to draw the transcript without knowing tools or the session file.

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
  /** Something of it was left out because it is large: the middle of a text, the data of a picture. `get_entry` has all of it. */
  isCut: optional(exactly(true)),
};

const result = object({
  toolCallId: text(),
  toolName: text(),
  /** The call that made this one. */
  nestedIn: optional(text()),
  isError: flag(),
  card: wireCard,
  /** The call was not carried out to its end: the process ended, or the user steered before it began. */
  settled: optional(choice(["interrupted", "skipped"])),
  durationMs: optional(integer()),
  /** `read_artifact` has the whole output. */
  artifact: optional(object({ id: integer(), bytes: integer() })),
  changes: optional(listOf(fileChange)),
  images: listOf(wireMedia),
});

export const wireEntry = oneOf(
  object({
    type: exactly("user"),
    ...fields,
    /** The words alone. */
    text: text(),
    /** Names of files and piped text that went with them. */
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
        /** `card`: only when the journal has no result of the call. */
        object({ kind: exactly("call"), toolCallId: text(), toolName: text(), card: optional(wireCard) }),
      ),
    ),
    /** `provider/model`. */
    model: optional(text()),
    tokens: optional(object({ input: integer(), cached: integer(), output: integer() })),
    /** US dollars; absent when the price is not known. */
    cost: optional(number()),
    /** What cut the answer short, in words; only when it did not end by itself. */
    endedBy: optional(text()),
  }),
  /** Of calls; each card replaces the one that `tool_execution_start` had. */
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
    /** Whether the model gets to see it. */
    isSent: flag(),
  }),
  /** Something that happened between messages; `of` is the kind of the entry in the session file. */
  object({ type: exactly("note"), ...fields, of: text(), title: text(), text: optional(text()) }),
  /** Nothing that people are shown. */
  object({ type: exactly("hidden"), ...fields, of: text() }),
);
/** An entry of the journal as people see it. */
export type WireEntry = Static<typeof wireEntry>;
