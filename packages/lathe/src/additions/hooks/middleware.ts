// Command hooks at the seams of a session.

import type { CallInfo, InputContent, Middleware, ProposedCall, SeamContext, ToolResult } from "@lathe/agent";
import { textOfContent } from "@lathe/agent/base";
import type { JsonObject } from "@lathe/llm";
import { inputFor, nameFor, namesOf } from "../../config/tool-names/tool-names.ts";
import type { CommandHooks, HookAnswers } from "./command-hooks.ts";

/** A hook that never lets the model stop is left alone after this many times. */
const MOST_CONTINUED = 8;

interface HookSeams {
  readonly hooks: CommandHooks;
  readonly cwd: string;
  /** What hooks at the start of the session had to say; undefined when it was said already. */
  readonly startContext: () => Promise<string | undefined>;
  /** Ends the work at hand, with a word to the person. */
  readonly end: (why: string) => void;
  /** A hook has decided that the user need not be asked about a call. */
  readonly recordAllowed: (agentId: string | undefined, callId: string, by: string, reason: string | undefined) => void;
}

export function hookMiddleware(seams: HookSeams): Middleware {
  return {
    name: "hooks",
    timeoutMs: seams.hooks.longestMs,
    ...inputSeams(seams),
    ...callSeams(seams),
    ...compactionSeam(seams),
  };
}

/** What a person says, and whether the model may stop. */
function inputSeams({ hooks, startContext }: HookSeams): Pick<Middleware, "onInput" | "beforeStop"> {
  /** Times that the model was kept at work, by agent, since the last input. */
  const continued = new Map<string, number>();
  return {
    onInput: async ({ content }, { signal, agentId }) => {
      if (agentId !== undefined) return undefined; // a child's assignment is nothing that a person has typed
      continued.clear();
      const answers = await hooks.run({
        event: "UserPromptSubmit",
        fields: () => ({ prompt: textOfContent(content) }),
        signal,
      });
      const refused = answers.block ?? answers.stop;
      if (refused !== undefined) return { reject: refused };
      const contexts = [await startContext(), answers.context].filter((text) => text !== undefined);
      return contexts.length === 0 ? undefined : { content: withContext(content, contexts) };
    },
    beforeStop: async ({ text }, { signal, agentId, warn }) => {
      const who = agentId ?? "";
      const before = continued.get(who) ?? 0;
      const answers = await hooks.run({
        event: agentId === undefined ? "Stop" : "SubagentStop",
        fields: () => ({
          stop_hook_active: before > 0,
          last_assistant_message: text,
          ...(agentId ? { agent_id: agentId } : {}),
        }),
        signal,
      });
      if (answers.stop !== undefined || answers.block === undefined) return undefined;
      if (before >= MOST_CONTINUED) {
        warn(`A hook has kept the model at work ${before} times; now it may stop.`, "hook");
        return undefined;
      }
      continued.set(who, before + 1);
      return { continueWith: answers.block };
    },
  };
}

function callSeams({
  hooks,
  cwd,
  end,
  recordAllowed: allowed,
}: HookSeams): Pick<Middleware, "beforeCall" | "approve" | "afterCall"> {
  /** Why a person is to decide, by agent and call: calls of two agents may share an id. */
  const asks = new Map<string, string>();
  const keyOf = ({ callId }: ProposedCall, { agentId = "" }: SeamContext): string => `${agentId} ${callId}`;
  /** Any hook may end the work. */
  const endIfAsked = ({ stop }: HookAnswers): boolean => {
    if (stop !== undefined) end(stop);
    return stop !== undefined;
  };
  return {
    beforeCall: async (call, context) => {
      const fields = callFields(call, context, cwd);
      const answers = await hooks.run({
        event: "PreToolUse",
        names: namesOf(call.tool.name),
        fields,
        signal: context.signal,
      });
      if (endIfAsked(answers)) return { block: answers.stop ?? "" };
      if (answers.block !== undefined) return { block: answers.block };
      if (answers.permission === "ask")
        asks.set(keyOf(call, context), answers.permissionReason ?? "A hook wants a person to decide.");
      if (answers.permission === "allow")
        allowed(context.agentId, call.callId, answers.by ?? "a hook", answers.permissionReason);
      if (answers.context !== undefined) context.warn(answers.context, "hook");
      return answers.input === undefined ? undefined : { args: answers.input };
    },
    // Asked about again when the files of the call have changed meanwhile: what was shown is not what would be done.
    approve: (call, context) => {
      const reason = asks.get(keyOf(call, context));
      return reason === undefined ? undefined : { decision: "ask", reason };
    },
    afterCall: async (call, result, context) => {
      asks.delete(keyOf(call, context));
      const fields = callFields(call, context, cwd);
      const answers = await hooks.run({
        event: "PostToolUse",
        names: namesOf(call.tool.name),
        fields: (provider) => ({ ...fields(provider), tool_response: responseOf(call, result) }),
        signal: context.signal,
      });
      endIfAsked(answers);
      const said = [answers.block, answers.context].filter((text) => text !== undefined);
      if (said.length === 0) return undefined;
      return { ...result, content: [...result.content, { kind: "text", text: `\n\n[hook] ${said.join("\n\n")}` }] };
    },
  };
}

function compactionSeam({ hooks }: HookSeams): Pick<Middleware, "beforeCompact"> {
  return {
    beforeCompact: async ({ reason }, { signal }) => {
      const trigger = reason === "manual" ? "manual" : "auto";
      const { block, stop } = await hooks.run({
        event: "PreCompact",
        names: [trigger],
        fields: () => ({ trigger, custom_instructions: "" }),
        signal,
      });
      const cancel = block ?? stop;
      return cancel === undefined ? undefined : { cancel };
    },
  };
}

/** What hooks are told of a call, in the words of the agent that they were written for. */
const callFields =
  (call: ProposedCall, { agentId }: SeamContext, cwd: string) =>
  (provider: string): JsonObject => ({
    tool_name: nameFor(provider, call.tool.name),
    tool_input: inputFor(provider, call.args, cwd),
    tool_use_id: call.callId,
    lathe: { tool: call.tool.name, agentId: agentId ?? null },
  });

/** Behind what the person said: a hook's text is no instruction of theirs. */
function withContext(content: InputContent, contexts: readonly string[]): InputContent {
  const added = contexts.map((text) => `<hook_context>\n${text}\n</hook_context>`).join("\n\n");
  if (typeof content === "string") return `${content}\n\n${added}`;
  return [...content, { kind: "text", text: `\n\n${added}` }];
}

function responseOf({ access = [] }: CallInfo, { content, isError = false, changes = [] }: ToolResult): JsonObject {
  const text = content.flatMap((part) => (part.kind === "text" ? part.text : [])).join("");
  return {
    content: text,
    is_error: isError,
    changed: changes.map(({ path }) => path),
    touched: access.flatMap((item) => ("path" in item ? item.path : [])),
  };
}
