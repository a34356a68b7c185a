// Command hooks at the seams of a session.

import type { InputContent, Middleware, ProposedCall, SeamContext } from "@lathe/agent";
import { textOfContent } from "@lathe/agent/base";
import type { JsonObject } from "@lathe/llm";
import { lookAhead } from "../../config/tool-names/foreign-calls.ts";
import type { CommandHooks, HookAnswers, Told } from "./command-hooks.ts";
import type { CommandHook } from "./read-hooks.ts";
import { type CallToTell, toldOfCall, toldOfFailure } from "./told-calls.ts";

/** A hook that never lets the model stop is left alone after this many times. */
const MOST_CONTINUED = 8;

interface HookSeams {
  readonly hooks: CommandHooks;
  readonly cwd: string;
  /** What hooks at the start of the session had to say; undefined when it was said already. */
  readonly startContext: () => Promise<string | undefined>;
  /** The kind of agent that a child is. */
  readonly agentType: (agentId: string) => string;
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
function inputSeams({ hooks, startContext, agentType }: HookSeams): Pick<Middleware, "onInput" | "beforeStop"> {
  /** Times that the model was kept at work, by agent, since the last input. */
  const continued = new Map<string, number>();
  /** Agents that hooks have heard of: each starts once, however often it is sent something. */
  const known = new Set<string>();
  const startSubagent = async (content: InputContent, agentId: string, signal: AbortSignal) => {
    if (known.has(agentId)) return undefined;
    known.add(agentId);
    const type = agentType(agentId);
    const fields = { agent_id: agentId, agent_type: type };
    const { context } = await hooks.run({ event: "SubagentStart", told: () => tell(fields, [type]), signal });
    return context === undefined ? undefined : { content: withContext(content, [context]) };
  };
  return {
    onInput: async ({ content }, { signal, agentId }) => {
      // A child's assignment is nothing that a person has typed.
      if (agentId !== undefined) return startSubagent(content, agentId, signal);
      continued.clear();
      const started = await startContext();
      const answers = await hooks.run({
        event: "UserPromptSubmit",
        told: () => tell({ prompt: textOfContent(content) }),
        signal,
      });
      const refused = answers.block ?? answers.stop;
      if (refused !== undefined) return { reject: refused };
      const contexts = [started, answers.context].filter((text) => text !== undefined);
      return contexts.length === 0 ? undefined : { content: withContext(content, contexts) };
    },
    beforeStop: async ({ text }, { signal, agentId, warn }) => {
      const who = agentId ?? "";
      const before = continued.get(who) ?? 0;
      const answers = await hooks.run({
        event: agentId === undefined ? "Stop" : "SubagentStop",
        told: ({ dialect }) =>
          tell({
            ...(dialect === "cursor" ? { status: "completed", loop_count: before } : {}),
            stop_hook_active: before > 0,
            last_assistant_message: text,
            ...(agentId ? { agent_id: agentId, agent_type: agentType(agentId) } : {}),
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
      if (!hooks.has("PreToolUse")) return undefined;
      const told = {
        ...describeCall(call, context, cwd),
        ...(await lookAhead(context, { tool: call.tool.name, args: call.args })),
      };
      const answers = await hooks.run({
        event: "PreToolUse",
        told: (hook) => toldOfCall(hook, told),
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
      const told = { ...describeCall(call, context, cwd), access: call.access, result };
      const { signal } = context;
      const isFailure = result.isError === true;
      if (isFailure)
        await hooks.run({ event: "PostToolUseFailure", told: (hook) => toldOfFailure(hook, told), signal });
      // Agents with an event for failures do not expect one here.
      const hears = ({ dialect }: CommandHook): boolean => !isFailure || (dialect !== "claude" && dialect !== "cursor");
      const answers = await hooks.run({
        event: "PostToolUse",
        told: (hook) => (hears(hook) ? toldOfCall(hook, told) : []),
        signal,
      });
      endIfAsked(answers);
      const said = [answers.block, answers.context].filter((text) => text !== undefined);
      if (said.length === 0) return undefined;
      return { ...result, content: [...result.content, { kind: "text", text: `\n\n[hook] ${said.join("\n\n")}` }] };
    },
  };
}

const describeCall = ({ callId, tool, args }: ProposedCall, { agentId }: SeamContext, cwd: string): CallToTell => ({
  callId,
  tool: tool.name,
  schema: tool.schema,
  args,
  cwd,
  agentId,
});

function compactionSeam({ hooks }: HookSeams): Pick<Middleware, "beforeCompact"> {
  return {
    beforeCompact: async ({ reason }, { signal }) => {
      const trigger = reason === "manual" ? "manual" : "auto";
      const { block, stop } = await hooks.run({
        event: "PreCompact",
        told: () => tell({ trigger, custom_instructions: "" }, [trigger]),
        signal,
      });
      const cancel = block ?? stop;
      return cancel === undefined ? undefined : { cancel };
    },
  };
}

/** Behind what the person said: a hook's text is no instruction of theirs. */
function withContext(content: InputContent, contexts: readonly string[]): InputContent {
  const added = contexts.map((text) => `<hook_context>\n${text}\n</hook_context>`).join("\n\n");
  if (typeof content === "string") return `${content}\n\n${added}`;
  return [...content, { kind: "text", text: `\n\n${added}` }];
}

/** One thing, for hooks of any agent. */
export const tell = (fields: JsonObject, names?: readonly string[]): readonly Told[] => [
  names === undefined ? { fields } : { fields, names },
];
