// Commands for clients that display a session: its entries, outputs, costs, jobs, changes, queue and slash commands.
// They change nothing but the queue and the jobs.

import { choice, flag, integer, listOf, number, object, optional, orNull, text } from "@lathe/llm/schema";
import { agentRow } from "../wire/agent-row.ts";
import { wireEntry } from "../wire/entry.ts";
import { wireMessage } from "../wire/message.ts";
import { wireUsage } from "../wire/usage.ts";

/** Token counts mean the same for every vendor. */
const spending = {
  /** Number of model answers. */
  answers: integer(),
  usage: wireUsage,
  /** In US dollars. */
  cost: number(),
  /** Answers without a known price, which `cost` leaves out. */
  unpriced: integer(),
};
const spendingOf = listOf(object({ name: text(), ...spending }));

const jobRow = object({
  jobId: integer(),
  /** A single line. */
  command: text(),
  isRunning: flag(),
  /** `running`, or how it ended. */
  status: text(),
  /** The end of its output: 40 lines within 8 KiB. */
  tail: listOf(text()),
});

const queuedRow = object({
  messageId: text(),
  text: text(),
  /** Number of pictures and other attachments. */
  attachments: integer(),
  /** Absent: the user. */
  source: optional(object({ kind: choice(["user", "agent", "job", "host"]), id: optional(text()) })),
});

export const DISPLAY_COMMANDS = {
  /**
   * Entries of the active branch, oldest first. Without `after` and `before` they start at the beginning; `before:
   * null` returns the last ones. Long texts and pictures are cut (`isCut`). Refused with `not_on_branch` if a rewind
   * left the entry behind.
   */
  get_entries: {
    scope: "message:read",
    params: { after: optional(text()), before: optional(orNull(text())), limit: optional(integer()) },
    data: object({
      entries: listOf(wireEntry),
      /** The position of the first entry among the branch's `total` entries. */
      start: integer(),
      total: integer(),
      leafId: orNull(text()),
    }),
  },
  /** A whole entry, on any branch. `message` is what the model gets. */
  get_entry: {
    scope: "message:read",
    params: { entryId: text() },
    data: object({ entry: wireEntry, message: optional(wireMessage) }),
  },
  /** A piece of `artifact://<id>`, in bytes; `nextOffset` is null at the end. */
  read_artifact: {
    scope: "message:read",
    params: { artifactId: integer(), offset: optional(integer()), limit: optional(integer()) },
    data: object({ text: text(), offset: integer(), nextOffset: orNull(integer()) }),
  },
  /** What the session cost and why; all branches are included. */
  get_costs: {
    scope: "message:read",
    params: {},
    data: object({
      total: object(spending),
      byModel: spendingOf,
      byInput: listOf(object({ entryId: text(), timestamp: text(), ...spending })),
      byTool: listOf(object({ name: text(), calls: integer(), tokens: number(), cost: number() })),
      /** Answers to the user's messages. */
      words: object({ tokens: number(), cost: number() }),
      byAgent: spendingOf,
      /** Calls outside the conversation, such as summaries. */
      byRole: spendingOf,
    }),
  },
  get_jobs: { scope: "message:read", params: {}, data: object({ jobs: listOf(jobRow) }) },
  /** The model learns of it with the next request. */
  stop_job: { scope: "control", params: { jobId: integer() }, data: object({ job: jobRow }) },
  /** Files that calls on the active branch changed, each from before the first change to after the last. */
  get_changes: {
    scope: "message:read",
    params: {},
    data: object({
      files: listOf(
        object({
          path: text(),
          change: choice(["added", "changed", "deleted"]),
          /** Hunks of a unified diff; "" if the content is not text. */
          diff: text(),
        }),
      ),
    }),
  },
  /**
   * Git's changes since the last commit; before the first commit, against the empty tree. Refused outside a repository.
   */
  get_diff: {
    scope: "message:read",
    params: {},
    data: object({ hasCommit: flag(), diff: text(), untracked: listOf(text()), note: optional(text()) }),
  },
  get_queue: {
    scope: "message:read",
    params: {},
    data: object({ steering: listOf(queuedRow), followUp: listOf(queuedRow) }),
  },
  /** False if the message was already delivered. */
  edit_queued: { scope: "prompt", params: { messageId: text(), message: text() }, data: object({ edited: flag() }) },
  cancel_queued: { scope: "prompt", params: { messageId: text() }, data: object({ cancelled: flag() }) },
  /** The last output of an agent. */
  get_agent_output: {
    scope: "message:read",
    params: { agentId: text() },
    data: object({ agent: agentRow, output: text() }),
  },
  /** Slash commands that a `prompt` can begin with. */
  get_commands: {
    scope: "message:read",
    params: {},
    data: object({
      commands: listOf(object({ name: text(), arguments: optional(text()), description: text() })),
    }),
  },
} as const;
