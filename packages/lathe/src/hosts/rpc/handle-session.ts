// Commands about sessions: switching, branching, rewinding, naming, exporting, and statistics.

import { shownPath } from "@lathe/agent/files";
import { textOf } from "@lathe/llm";
import type { ReportedRewind } from "../../changes/rewind/report.ts";
import type { Departure } from "../../conversation/conversation-parts.ts";
import { isOwn } from "../../conversation/unsent-messages.ts";
import { withEntryHint } from "../../platform/usage/entry-hint.ts";
import { treeRows } from "../../sessions/tree-rows.ts";
import type { CommandData } from "./commands.ts";
import type { HandlerContext, Handlers } from "./handler.ts";

const refOf = ({ current }: HandlerContext, { cancelled }: Departure = {}): CommandData<"new_session"> => ({
  sessionId: current.session.id,
  sessionFile: current.conversation.open.journal.path ?? null,
  ...outcome(cancelled),
});

const outcome = (cancelled: string | undefined): { readonly cancelled: boolean; readonly reason?: string } =>
  cancelled === undefined ? { cancelled: false } : { cancelled: true, reason: cancelled };
const rewindData = (
  { session }: HandlerContext["current"],
  { result, entryId, text }: ReportedRewind,
): CommandData<"rewind"> => ({
  entryId: entryId ?? null,
  text: text ?? null,
  leafId: session.journal.leaf,
  restored: result.restored.map(shownPath),
  left: result.left.map(({ path, why }) => ({ path: shownPath(path), why })),
  unrecorded: result.unrecorded ?? null,
});

export const sessionHandlers: Handlers<
  | "new_session"
  | "switch_session"
  | "fork"
  | "branch"
  | "get_tree"
  | "navigate_tree"
  | "set_label"
  | "move_session"
  | "get_branch_messages"
  | "rewind"
  | "undo"
  | "redo"
  | "set_session_name"
  | "get_session_stats"
  | "export_html"
> = {
  new_session: async ({ parentSession }, context) => {
    const departure = await context.current.conversation.startNew(parentSession);
    return refOf(context, departure);
  },

  switch_session: async ({ sessionPath }, context) => {
    const departure = await context.current.conversation.resume(sessionPath);
    return refOf(context, departure);
  },

  fork: async (_params, context) => refOf(context, await context.current.conversation.fork()),

  branch: async ({ entryId }, context) => {
    const departure = await withTreeHint(() => context.current.conversation.branch(entryId));
    return { ...refOf(context, departure), text: departure.text };
  },

  get_tree: ({ filter }, { current }) => {
    const { journal } = current.session;
    const entries = [...treeRows(journal, filter)].map(({ id, isActive, ...row }) => ({
      entryId: id,
      ...row,
      active: isActive,
    }));
    return { leafId: journal.leaf, entries };
  },

  navigate_tree: async ({ entryId, summarize, customInstructions: focus }, { current }) => {
    const wanted = { ...(summarize === undefined ? {} : { summarize }), ...(focus === undefined ? {} : { focus }) };
    const moved = await withTreeHint(() => current.conversation.navigate(entryId, wanted));
    const { leafId, text = null, summaryEntryId = null, cancelled } = moved;
    return { leafId, text, summaryEntryId, ...outcome(cancelled) };
  },

  set_label: async ({ entryId, label }, { current }) => {
    await withTreeHint(() => current.session.label(entryId, label?.trim()));
    return { entryId, label: label?.trim() ?? null };
  },

  move_session: async ({ directory }, context) => {
    const departure = await context.current.conversation.move(directory);
    return { ...refOf(context, departure), cwd: context.current.conversation.workspace.cwd };
  },

  get_branch_messages: (_params, { current }) => ({
    messages: current.conversation
      .branchPoints()
      .filter(isOwn)
      .map(({ id, message }) => ({ entryId: id, text: textOf(message) })),
  }),

  rewind: async ({ entryId, parts = "both", force = false }, { current }) =>
    rewindData(
      current,
      await withTreeHint(() => {
        // Users may type a label or the beginning of an id, but a program that does so has made a mistake.
        const { id } = current.session.journal.entry(entryId);
        return current.conversation.rewind(id, { parts, force });
      }),
    ),

  undo: async ({ parts = "both", force = false }, { current }) =>
    rewindData(current, await current.conversation.undo({ parts, force })),

  redo: async ({ force = false }, { current }) => rewindData(current, await current.conversation.redo({ force })),

  set_session_name: ({ name }, { current }) => {
    if (name.trim() === "") throw new Error("Session name cannot be empty");
    current.conversation.titles.rename(name);
  },

  get_session_stats: (_params, context) => {
    const { session } = context.current;
    const { messages } = session.journal.context;
    const { usage, cost } = session.usage;
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
        input: usage.inputTokens,
        output: usage.outputTokens,
        cacheRead: usage.cacheReadTokens ?? 0,
        cacheWrite: usage.cacheWriteTokens ?? 0,
        total: usage.totalTokens,
      },
      cost,
    };
  },

  export_html: async ({ outputPath }, { current }) => ({ path: await current.conversation.exportHtml(outputPath) }),
};

const withTreeHint = <T>(work: () => T | Promise<T>): Promise<T> => withEntryHint("See get_tree.", work);
