// Commands about sessions: another one, a branch, a name, a page, numbers.

import { shownPath } from "@lathe/agent";
import { promptTokens, textOf } from "@lathe/llm";
import type { ReportedRewind } from "../../rewind/report.ts";
import type { CommandData } from "./commands.ts";
import type { HandlerContext, Handlers } from "./handler.ts";

const refOf = ({ current }: HandlerContext): CommandData<"new_session"> => ({
  sessionId: current.session.id,
  sessionFile: current.conversation.open.journal.path ?? null,
  cancelled: false,
});

const rewound = ({ session }: HandlerContext["current"], { result, text }: ReportedRewind): CommandData<"rewind"> => ({
  text: text ?? null,
  leafId: session.journal.leaf,
  restored: result.restored.map(shownPath),
  left: result.left.map(({ path, why }) => ({ path: shownPath(path), why })),
});

export const sessionHandlers: Handlers<
  | "new_session"
  | "switch_session"
  | "branch"
  | "get_branch_messages"
  | "rewind"
  | "undo"
  | "redo"
  | "set_session_name"
  | "get_session_stats"
  | "export_html"
> = {
  new_session: async ({ parentSession }, context) => {
    await context.current.conversation.startNew(parentSession);
    return refOf(context);
  },

  switch_session: async ({ sessionPath }, context) => {
    await context.current.conversation.resume(sessionPath);
    return refOf(context);
  },

  branch: ({ entryId }, { current }) => ({ text: current.conversation.branch(entryId), cancelled: false }),

  get_branch_messages: (_params, { current }) => ({
    messages: current.conversation.branchPoints().map(({ id, message }) => ({ entryId: id, text: textOf(message) })),
  }),

  rewind: async ({ entryId, parts = "both", force = false }, { current }) =>
    rewound(current, await current.conversation.rewind(entryId, { parts, force })),

  undo: async ({ parts = "both", force = false }, { current }) =>
    rewound(current, await current.conversation.undo({ parts, force })),

  redo: async ({ force = false }, { current }) => rewound(current, await current.conversation.redo({ force })),

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

  export_html: async ({ outputPath }, { current }) => ({ path: await current.conversation.exportHtml(outputPath) }),
};
