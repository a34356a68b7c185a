// Commands for clients that display a session: they read it, and change its queue and its jobs.

import type { QueuedMessage, Session } from "@lathe/agent";
import { textOfContent } from "@lathe/agent/base";
import { type Spending, sessionCosts } from "@lathe/agent/session";
import type { Job } from "@lathe/agent/tools";
import { jobOf, lastLines, stopJob, toListedJob } from "../../conversation/commands/jobs.ts";
import { plainUsage } from "../headless/result.ts";
import { agentOf } from "../wire/map-events.ts";
import { toWire } from "../wire/to-wire.ts";
import type { CommandData, CommandName } from "./commands.ts";
import type { DISPLAY_COMMANDS } from "./display-commands.ts";
import { entryPage, wholeEntry } from "./entry-page.ts";
import { type Handlers, Refusal } from "./handler.ts";
import { changedFiles } from "./session-changes.ts";

/** The default piece of an artifact, in bytes. */
const PIECE = 256 * 1024;
const LONGEST_PIECE = 4 * 1024 * 1024;
const TAIL_CHARACTERS = 8 * 1024;

export const displayHandlers: Handlers<CommandName & keyof typeof DISPLAY_COMMANDS> = {
  get_entries: (params, { current }) => entryPage(current.session, params),

  get_entry: ({ entryId }, { current: { session } }) => {
    const entry = session.journal.entry(entryId);
    const message = entry.type === "message" || entry.type === "nested_call" ? entry.message : undefined;
    return { entry: wholeEntry(session, entryId), ...(message === undefined ? {} : { message: toWire(message) }) };
  },

  read_artifact: ({ artifactId, offset = 0, limit = PIECE }, { current }) =>
    artifactPiece(current.session, artifactId, Math.max(0, offset), Math.min(Math.max(limit, 4), LONGEST_PIECE)),

  get_costs: (_params, { current }) => {
    const { total, byModel, byInput, byTool, words, byChild, byRole } = sessionCosts(current.session.journal);
    return {
      total: wireSpending(total),
      byModel: rowsOf(byModel).map(wireSpending),
      byInput: byInput.map(wireSpending),
      byTool: rowsOf(byTool),
      words,
      byAgent: rowsOf(byChild).map(wireSpending),
      byRole: rowsOf(byRole).map(wireSpending),
    };
  },

  get_jobs: (_params, { current: { session } }) => ({ jobs: (session.beside.jobs?.list() ?? []).map(jobRow) }),

  stop_job: async ({ jobId }, { current: { conversation } }) => {
    const job = jobOf(conversation, jobId);
    await stopJob(conversation, job);
    return { job: jobRow(job) };
  },

  get_changes: (_params, { current }) => ({ files: changedFiles(current.session.journal) }),

  get_diff: async (_params, { current }) => {
    const { workingDiff } = await import("../../conversation/working-diff.ts");
    return workingDiff(current.conversation);
  },

  get_queue: (_params, { current: { session } }) => ({
    steering: session.queuedMessages("steering").map(queuedRow),
    followUp: session.queuedMessages("follow_up").map(queuedRow),
  }),

  edit_queued: ({ messageId, message }, { current }) => ({ edited: current.session.editQueued(messageId, message) }),

  cancel_queued: ({ messageId }, { current }) => ({ cancelled: current.session.cancelQueued(messageId) }),

  get_agent_output: async ({ agentId }, { current }) => {
    const { directory } = current.session.subagents;
    await directory.load();
    const output = directory.outputOf(agentId);
    const agent = directory.list().find((one) => one.agentId === agentId);
    if (!agent) throw new Error(`There is no agent ${agentId}.`);
    return { agent: agentOf(agent), output };
  },

  get_commands: async (_params, { current }) => {
    const commands = await current.conversation.open.parts.commands();
    const expanding = commands.filter((command) => "expand" in command);
    return {
      commands: expanding.map(({ name, arguments: args, description }) => ({
        name,
        ...(args === undefined ? {} : { arguments: args }),
        description,
      })),
    };
  },
};

const wireSpending = <T extends Spending>(spent: T) => ({ ...spent, usage: plainUsage(spent.usage) });

const rowsOf = <T>(byName: ReadonlyMap<string, T>): ({ readonly name: string } & T)[] =>
  [...byName].map(([name, value]) => ({ name, ...value }));

function jobRow(job: Job): CommandData<"stop_job">["job"] {
  const { id, ...shown } = toListedJob(job);
  const tail = lastLines(job).join("\n").slice(-TAIL_CHARACTERS);
  return { jobId: id, ...shown, tail: tail === "" ? [] : tail.split("\n") };
}

function queuedRow({ id, content, source }: QueuedMessage): CommandData<"get_queue">["steering"][number] {
  const attachments = typeof content === "string" ? 0 : content.filter(({ kind }) => kind !== "text").length;
  const from = source && { kind: source.kind, ...(source.id === undefined ? {} : { id: source.id }) };
  return { messageId: id, text: textOfContent(content), attachments, ...(from ? { source: from } : {}) };
}

async function artifactPiece(
  session: Session,
  id: number,
  offset: number,
  limit: number,
): Promise<CommandData<"read_artifact">> {
  // One more byte shows whether there is a rest.
  const bytes = await session.readArtifact(id, { start: offset, end: offset + limit + 1 });
  if (!bytes) throw new Refusal("unknown_artifact", `There is no artifact ${id} in this session.`);
  const isLast = bytes.length <= limit;
  const end = isLast ? bytes.length : characterStart(bytes, limit);
  return {
    text: Buffer.from(bytes.subarray(0, end)).toString("utf8"),
    offset,
    nextOffset: isLast ? null : offset + end,
  };
}

/** The last position up to `at` where a UTF-8 character begins; `at` itself if the bytes are not text. */
function characterStart(bytes: Uint8Array, at: number): number {
  for (let start = at; start > at - 4; start--) if (((bytes[start] ?? 0) & 0xc0) !== 0x80) return start;
  return at;
}
