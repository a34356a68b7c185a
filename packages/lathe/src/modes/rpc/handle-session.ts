// Commands about sessions: another one, a branch, a name, a page, numbers.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { MessageEntry, Session } from "@lathe/agent";
import { readHead } from "@lathe/agent";
import { promptTokens, textOf } from "@lathe/llm";
import { existingJournal, memoryJournal, newJournal } from "../../run/journal-files.ts";
import type { CommandData } from "./commands.ts";
import type { HandlerContext, Handlers } from "./handler.ts";

const refOf = ({ current }: HandlerContext): CommandData<"new_session"> => ({
  sessionId: current.session.id,
  sessionFile: current.open.journal.path ?? null,
  cancelled: false,
});

/** Messages of the user on the present branch, oldest first: the places to branch from. */
function userEntries({ journal }: Session): MessageEntry[] {
  const entries: MessageEntry[] = [];
  for (let id = journal.leaf; id !== null; ) {
    const meta = journal.meta(id);
    if (!meta) break;
    if (meta.type === "message") {
      const entry = journal.entry(id) as MessageEntry;
      if (entry.message.role === "user") entries.push(entry);
    }
    id = meta.parentId;
  }
  return entries.reverse();
}

export const sessionHandlers: Handlers<
  | "new_session"
  | "switch_session"
  | "branch"
  | "get_branch_messages"
  | "set_session_name"
  | "get_session_stats"
  | "export_html"
> = {
  new_session: async ({ parentSession }, context) => {
    const { current, workspace } = context;
    const inMemory = current.open.journal.path === undefined;
    const extra = parentSession === undefined ? {} : { parentSession };
    await current.goToNew(inMemory ? memoryJournal(workspace) : newJournal(workspace, extra));
    return refOf(context);
  },

  switch_session: async ({ sessionPath }, context) => {
    const { current, workspace } = context;
    const path = resolve(workspace.machine.cwd, sessionPath);
    if (path === current.open.journal.path) return refOf(context);
    const cwd = existsSync(path) ? readHead(path)?.header.cwd : undefined;
    if (cwd !== undefined && cwd !== workspace.cwd) {
      throw new Error(`Session ${sessionPath} is in another project (${cwd}). Start the agent there.`);
    }
    await current.goTo(existingJournal(workspace, path));
    return refOf(context);
  },

  branch: ({ entryId }, { current }) => {
    const { session } = current;
    const entry = userEntries(session).find(({ id }) => id === entryId);
    if (!entry) throw new Error(`There is no user message ${entryId} on this branch. See get_branch_messages.`);
    session.moveTo(entry.parentId);
    return { text: textOf(entry.message), cancelled: false };
  },

  get_branch_messages: (_params, { current }) => ({
    messages: userEntries(current.session).map(({ id, message }) => ({ entryId: id, text: textOf(message) })),
  }),

  set_session_name: ({ name }, { current }) => {
    if (name.trim() === "") throw new Error("Session name cannot be empty");
    current.session.journal.setTitle(name.trim(), "user");
  },

  get_session_stats: (_params, context) => {
    const { session } = context.current;
    const { messages } = session.journal.context;
    const { usage, cost } = session.usage;
    const provider = session.profile.provider ?? session.profile.id;
    const { sessionId, sessionFile } = refOf(context);
    const count = (role: string): number => messages.filter((message) => message.role === role).length;
    const toolCalls = messages.flatMap(({ content }) => content.filter(({ kind }) => kind === "tool_call")).length;
    return {
      sessionId,
      sessionFile,
      userMessages: count("user"),
      assistantMessages: count("assistant"),
      toolCalls,
      toolResults: count("tool"),
      totalMessages: messages.length,
      tokens: {
        input: promptTokens(usage, provider),
        output: usage.outputTokens,
        cacheRead: usage.cacheReadTokens ?? 0,
        cacheWrite: usage.cacheWriteTokens ?? 0,
        total: usage.totalTokens,
      },
      cost,
    };
  },

  export_html: async ({ outputPath }, { current, workspace }) => {
    const { path } = current.open.journal;
    if (path === undefined || !existsSync(path))
      throw new Error("Nothing of this session is kept that could be exported.");
    const { exportSession } = await import("../../export/export-session.ts");
    return { path: await exportSession(workspace, path, outputPath) };
  },
};
