// Commands with which a client draws a session: its entries, outputs, costs, jobs, changes, queue and slash commands. They change
// nothing but the queue and the jobs.

import { choice, flag, integer, listOf, number, object, optional, orNull, text } from "@lathe/llm/schema";
import { agentRow } from "../wire/agent-row.ts";
import { wireEntry } from "../wire/entry.ts";
import { wireMessage } from "../wire/message.ts";
import { wireUsage } from "../wire/usage.ts";

/** Usage is in counts that mean the same for every vendor. */
const spending = {
  /** Answers of models. */
  answers: integer(),
  usage: wireUsage,
  /** US dollars. */
  cost: number(),
  /** Answers whose price is not known: `cost` is without them. */
  unpriced: integer(),
};
const spendingOf = listOf(object({ name: text(), ...spending }));

const jobRow = object({
  jobId: integer(),
  /** One line. */
  command: text(),
  isRunning: flag(),
  /** `running`, or how it ended. */
  status: text(),
  /** The end of what it printed: 40 lines within 8 KiB. */
  tail: listOf(text()),
});

const queuedRow = object({
  messageId: text(),
  text: text(),
  /** Pictures and the like that go with it. */
  attachments: integer(),
  /** Absent: the user's. */
  source: optional(object({ kind: choice(["user", "agent", "job", "host"]), id: optional(text()) })),
});

export const LOOK_COMMANDS = {
  /**
   * Entries of the active branch, oldest first. Without `after` and `before` from the beginning; `before: null` gives the last ones.
   * Long texts and pictures are cut (`isCut`). Refused with `not_on_branch` when the entry was left behind by a rewind.
   */
  get_entries: {
    scope: "message:read",
    params: { after: optional(text()), before: optional(orNull(text())), limit: optional(integer()) },
    data: object({
      entries: listOf(wireEntry),
      /** The position of the first of them among the `total` entries of the branch. */
      start: integer(),
      total: integer(),
      leafId: orNull(text()),
    }),
  },
  /** All of one entry, on any branch. `message`: as the model gets it. */
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
  /** Where the money of the session went; all branches are included. */
  get_costs: {
    scope: "message:read",
    params: {},
    data: object({
      total: object(spending),
      byModel: spendingOf,
      byInput: listOf(object({ entryId: text(), timestamp: text(), ...spending })),
      byTool: listOf(object({ name: text(), calls: integer(), tokens: number(), cost: number() })),
      /** Answers to what people said. */
      words: object({ tokens: number(), cost: number() }),
      byAgent: spendingOf,
      /** Calls outside the conversation, such as summaries. */
      byRole: spendingOf,
    }),
  },
  get_jobs: { scope: "message:read", params: {}, data: object({ jobs: listOf(jobRow) }) },
  /** The model is told of it with the next request. */
  stop_job: { scope: "control", params: { jobId: integer() }, data: object({ job: jobRow }) },
  /** Files that calls on the active branch have changed, each from before the first change to after the last. */
  get_changes: {
    scope: "message:read",
    params: {},
    data: object({
      files: listOf(
        object({
          path: text(),
          change: choice(["added", "changed", "deleted"]),
          /** Hunks of a unified diff; "" when the content is not text. */
          diff: text(),
        }),
      ),
    }),
  },
  /** What differs from the last commit, as git tells it; before the first commit, from nothing. Refused outside of repositories. */
  get_diff: {
    scope: "message:read",
    params: {},
    data: object({ hasCommit: flag(), diff: text(), untracked: listOf(text()) }),
  },
  get_queue: {
    scope: "message:read",
    params: {},
    data: object({ steering: listOf(queuedRow), followUp: listOf(queuedRow) }),
  },
  /** False when the message has been delivered already. */
  edit_queued: { scope: "prompt", params: { messageId: text(), message: text() }, data: object({ edited: flag() }) },
  cancel_queued: { scope: "prompt", params: { messageId: text() }, data: object({ cancelled: flag() }) },
  /** What an agent has said last. */
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
