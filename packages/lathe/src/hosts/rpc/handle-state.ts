// Commands that read the session's state, set its todo list, or run a user's command.

import { keepOneInProgress, type TodoList } from "@lathe/agent/tools";
import { WORKFLOW_FACT, type WorkflowState } from "../../additions/workflows/workflow.ts";
import type { OpenSession } from "../../conversation/session-contract.ts";
import { todoList, writeTodo } from "../../conversation/todo/todo-facts.ts";
import { toWire } from "../wire/to-wire.ts";
import type { CommandData, CommandParams, RpcSessionState, TodoPhases } from "./commands.ts";
import { thinkingLevel } from "./handle-model.ts";
import type { HandlerContext, Handlers } from "./handler.ts";

/** Ids follow the position in the list. */
function phasesOf(list: TodoList): TodoPhases {
  return list.map(({ name, tasks }, i) => ({
    id: `phase-${i + 1}`,
    name,
    tasks: tasks.map((task, j) => ({ id: `task-${i + 1}-${j + 1}`, ...task })),
  }));
}

function listFrom(phases: CommandParams<"set_todos">["phases"]): TodoList {
  const list = phases.map(({ name, tasks }) => ({ name, tasks: tasks.map(({ id: _id, ...task }) => task) }));
  return keepOneInProgress(list);
}

function workflowIn({ session, gates }: OpenSession): Pick<RpcSessionState, "workflow"> {
  const fact = session.facts.read(WORKFLOW_FACT) as unknown as WorkflowState | undefined;
  if (!fact) return {};
  const gate = gates.open;
  return { workflow: { name: fact.workflow, state: fact.state, ...(gate ? { gate } : {}) } };
}

async function stateOf({ current }: HandlerContext, include: readonly string[] = []): Promise<RpcSessionState> {
  const { conversation } = current;
  const { session, open, model } = conversation;
  const { steeringMode, followUpMode, interruptMode, retry } = session.config;
  const tokens = session.contextTokens;
  const window = session.profile.modelInfo?.contextWindow ?? 0;
  const withTools = include.includes("tools") || include.includes("dumpTools");
  const prefix = withTools || include.includes("systemPrompt") ? await session.prefix() : undefined;
  return {
    model: { provider: model.provider, id: model.id },
    thinkingLevel: thinkingLevel(conversation),
    isStreaming: conversation.isStreaming,
    isCompacting: current.isCompacting || conversation.isMakingRoom,
    steeringMode,
    followUpMode,
    interruptMode,
    sessionFile: open.journal.path ?? null,
    sessionId: session.id,
    sessionName: session.journal.title?.title ?? null,
    title: current.name,
    cwd: conversation.workspace.cwd,
    leafId: session.journal.leaf,
    unfinishedInput: current.hasUnfinishedInput,
    autoCompactionEnabled: current.conversation.autoCompaction,
    autoRetryEnabled: retry.maxRetries > 0,
    permissionMode: open.permissions.mode,
    messageCount: session.journal.context.messages.length,
    queuedMessageCount: session.queuedMessages("steering").length + session.queuedMessages("follow_up").length,
    todoPhases: phasesOf(todoList(session)),
    ...workflowIn(open),
    contextUsage: {
      tokens,
      contextWindow: window > 0 ? window : null,
      percent: window > 0 ? (100 * tokens) / window : null,
    },
    ...(prefix && withTools ? { dumpTools: prefix.tools } : {}),
    ...(prefix && include.includes("systemPrompt") ? { systemPrompt: [prefix.systemPrompt] } : {}),
  };
}

export const stateHandlers: Handlers<
  | "get_state"
  | "get_context"
  | "set_todos"
  | "get_messages"
  | "get_last_assistant_text"
  | "bash"
  | "abort_bash"
  | "set_host_tools"
  | "set_host_uri_schemes"
> = {
  get_state: ({ include }, context) => stateOf(context, include),

  get_context: async (_params, { current }) => {
    const { contextReport } = await import("../../conversation/context-report.ts");
    const { provider, model, window, tokens, bytes, threshold, groups, owners } = await contextReport(
      current.conversation.open,
    );
    return {
      model: { provider, id: model },
      tokens,
      bytes,
      contextWindow: window > 0 ? window : null,
      freeTokens: window > 0 ? Math.max(0, window - tokens) : null,
      compactionThreshold: threshold ?? null,
      groups: [...groups],
      owners: [...owners],
    };
  },

  set_todos: async ({ phases }, { current }) => {
    const list = listFrom(phases);
    await writeTodo(current.session, list);
    return { todoPhases: phasesOf(list) };
  },

  get_messages: (_params, { current }) => ({ messages: current.session.journal.context.messages.map(toWire) }),

  get_last_assistant_text: (_params, { current }) => ({ text: current.session.lastText() || null }),

  bash: async ({ command, excludeFromContext = false }, { current }): Promise<CommandData<"bash">> => {
    const { shell, session } = current.conversation;
    if (shell.running !== undefined) throw new Error("A command is already running. Wait for it, or send abort_bash.");
    const timeoutMs = session.config.maxCommandTimeoutMs;
    const { stdout, stderr, output, exitCode, cancelled, timedOut, truncated, durationMs } = await shell.run(
      { command, isSent: !excludeFromContext },
      { timeoutMs },
    );
    return { stdout, stderr, output, exitCode, cancelled, timedOut, truncated, durationMs };
  },

  abort_bash: (_params, { current }) => ({ aborted: current.conversation.shell.cancel() }),

  set_host_tools: ({ tools }, { current, hostTools }) =>
    hostTools.set(tools, current.session.profile.toolRegistry.names()),

  set_host_uri_schemes: ({ schemes }, { current, hostUris }) => ({
    schemes: hostUris.set(schemes, current.session.schemes),
  }),
};
