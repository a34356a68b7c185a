// Entries that extensions and tools keep in a journal, by kind.

import { type JsonValue, messageOf } from "@lathe/llm";
import { wellFormed } from "../base/text/well-formed.ts";
import type { CustomEntry } from "../contract/journal.ts";
import { SessionError } from "../contract/session-error.ts";
import { checkOptions, checkText, wrongArgument } from "../contract/wrong-argument.ts";
import type { Journal } from "../record/journal/journal.ts";
import { isShallow, MOST_NESTING } from "../record/journal/nesting.ts";
import type { NewEntry } from "../record/journal/new-lines.ts";

/**
 * The entry that keeps the data of an extension, with a copy of it as the journal will hold it. Throws if a journal
 * cannot hold the data, or could not be read with it.
 */
export function customEntry(customType: string, data: JsonValue): NewEntry {
  checkText("customType", customType);
  const refused = (problem: string): SessionError =>
    new SessionError("config", `the data of the ${customType} entry cannot be stored: ${problem}`);
  let text: string | undefined;
  try {
    text = JSON.stringify(data);
  } catch (error) {
    throw refused(whyNotJson(error));
  }
  if (text === undefined && data !== undefined) throw refused(`it must be a JSON value, not a ${typeof data}`);
  const copy = text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  if (!isShallow(copy, MOST_NESTING)) throw refused(TOO_DEEP);
  return { type: "custom", customType, ...(copy === undefined ? {} : { data: copy }) } as NewEntry;
}

/** Text for the model, kept by an extension. */
export function customMessage(
  customType: string,
  content: string,
  options: { readonly display?: boolean } = {},
): NewEntry {
  checkText("customType", customType);
  if (typeof content !== "string") throw wrongArgument(`the text of the ${customType} message`, "a text", content);
  checkOptions("appendCustomMessage", options);
  const { display = true } = options;
  if (typeof display !== "boolean") throw wrongArgument("appendCustomMessage: display", "true or false", display);
  return { type: "custom_message", customType, content: wellFormed(content), display, attribution: "agent" };
}

const TOO_DEEP = `it is nested deeper than ${MOST_NESTING} levels`;

function whyNotJson(error: unknown): string {
  if (error instanceof RangeError) return TOO_DEEP;
  const message = messageOf(error);
  // The vendor's message has several lines that draw the circle.
  if (/^Converting circular structure/.test(message)) return "it contains itself";
  return message.split("\n", 1)[0] ?? "";
}

export function* customEntriesOf(journal: Journal, customType: string): IterableIterator<CustomEntry> {
  for (const id of journal.entryIds()) {
    if (journal.meta(id)?.type !== "custom") continue;
    const entry = journal.entry(id) as CustomEntry;
    if (entry.customType === customType) yield entry;
  }
}
