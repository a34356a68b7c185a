// The format of the message log's lines. Separate from the log, because only a resumed session reads them.

import { Checker, choice, exactly, openObject, optional, text } from "@lathe/llm/schema";
import { entryId } from "../../record/journal/line-shapes.ts";
import type { StoredMessage } from "./types.ts";

interface SentLine extends StoredMessage {
  readonly state: "sent";
  readonly call: string;
}

interface SettledLine {
  readonly state: "delivered" | "failed";
  readonly id: string;
}

const SENT = new Checker(
  openObject({
    state: exactly("sent"),
    id: text(),
    from: text(),
    to: text(),
    text: text(),
    call: text(),
    entry: entryId,
    replyTo: optional(text()),
  }),
);
const SETTLED = new Checker(openObject({ state: choice(["delivered", "failed"]), id: text() }));

export const sentLine = (data: unknown): SentLine | undefined => (SENT.fits(data) ? (data as SentLine) : undefined);

export const settledLine = (data: unknown): SettledLine | undefined =>
  SETTLED.fits(data) ? (data as SettledLine) : undefined;
