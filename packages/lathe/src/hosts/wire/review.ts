// The output of `lathe review --json`, as published. The compiler checks that this type and the report's own are the
// same.

import {
  choice,
  exactly,
  integer,
  listOf,
  number,
  object,
  optional,
  orNull,
  type Schema,
  text,
} from "@lathe/llm/schema";
import type { ReviewReport } from "../../conversation/review/report.ts";
import { PRIORITIES } from "../../conversation/review/types.ts";
import { wireUsage } from "./usage.ts";

const place = { path: text(), line: integer(), quote: text(), priority: choice(PRIORITIES), body: text() };
const named = { title: text(), lenses: listOf(text()) };

export const wireReview: Schema<ReviewReport> = object({
  type: exactly("review"),
  status: choice(["clean", "findings", "incomplete"]),
  exitCode: integer(),
  range: text(),
  base: text(),
  end: orNull(text()),
  files: listOf(object({ path: text(), added: orNull(integer()), removed: orNull(integer()) })),
  /** The isolation of the reviewers. */
  view: text(),
  findings: listOf(object({ ...named, ...place, reason: text() })),
  dropped: listOf(
    object({
      ...named,
      path: optional(text()),
      line: optional(integer()),
      quote: optional(text()),
      priority: optional(choice(PRIORITIES)),
      body: optional(text()),
      dropped: choice(["no_place", "false_quote", "duplicate", "refuted", "no_verdict"]),
      why: text(),
    }),
  ),
  lenses: listOf(
    object({ name: text(), status: choice(["completed", "failed"]), findings: integer(), why: optional(text()) }),
  ),
  usage: wireUsage,
  cost: number(),
  sessionId: orNull(text()),
});
