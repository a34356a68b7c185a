// Command hooks as middleware of a session.

import type { InputContent, Middleware, ProposedCall, SeamContext } from "@lathe/agent";
import { textOfContent } from "@lathe/agent/base";
import type { JsonObject } from "@lathe/llm";
import { lookAhead } from "../../config/tool-names/foreign-calls.ts";
import { failurePayloads, type HookedCall, payloadsOf } from "./call-payloads.ts";
import type { CommandHooks, HookAnswers, HookPayload } from "./command-hooks.ts";
import type { CommandHook } from "./read-hooks.ts";

/** How often hooks may keep the model at work before it may stop anyway. */
const MOST_CONTINUED = 8;

interface HookSeams {
  readonly hooks: CommandHooks;
  readonly cwd: string;
  /** Context from hooks at the start of the session; undefined once it was passed on. */
  readonly startContext: () => Promise<string | undefined>;
  /** The type of a subagent. */
  readonly agentType: (agentId: string) => string;
  /** Ends the current work with a message to the user. */
  readonly end: (why: string) => void;
  /** Records that a hook allowed a call without asking the user. */
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

/** Input of the user, and whether the model may stop. */
function inputSeams({ hooks, startContext, agentType }: HookSeams): Pick<Middleware, "onInput" | "beforeStop"> {
  /** How often the model was kept at work since the last input, by agent. */
  const continued = new Map<string, number>();
  /** Agents whose start was reported to hooks: each starts once, no matter how many inputs it gets. */
  const known = new Set<string>();
  const startSubagent = async (content: InputContent, agentId: string, signal: AbortSignal) => {
    if (known.has(agentId)) return undefined;
    known.add(agentId);
    const type = agentType(agentId);
    const fields = { agent_id: agentId, agent_type: type };
    const { context } = await hooks.run({ event: "SubagentStart", payloadsFor: () => payload(fields, [type]), signal });
    return context === undefined ? undefined : { content: withContext(content, [context]) };
  };
  return {
    onInput: async ({ content }, { signal, agentId }) => {
      // A subagent's assignment is not a prompt of the user.
      if (agentId !== undefined) return startSubagent(content, agentId, signal);
      continued.clear();
      const started = await startContext();
      const answers = await hooks.run({
        event: "UserPromptSubmit",
        payloadsFor: () => payload({ prompt: textOfContent(content) }),
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
        payloadsFor: ({ dialect }) =>
          payload({
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
  /** Why the user must decide, by agent and call: calls of two agents may share an id. */
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
      const hooked = {
        ...describeCall(call, context, cwd),
        ...(await lookAhead(context, { tool: call.tool.name, args: call.args })),
      };
      const answers = await hooks.run({
        event: "PreToolUse",
        payloadsFor: (hook) => payloadsOf(hook, hooked),
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
    // Approval is asked again if the files of the call have changed meanwhile, because then the user approved something
    // else.
    approve: (call, context) => {
      const reason = asks.get(keyOf(call, context));
      return reason === undefined ? undefined : { decision: "ask", reason };
    },
    afterCall: async (call, result, context) => {
      asks.delete(keyOf(call, context));
      const hooked = { ...describeCall(call, context, cwd), access: call.access, result };
      const { signal } = context;
      const isFailure = result.isError === true;
      if (isFailure)
        await hooks.run({ event: "PostToolUseFailure", payloadsFor: (hook) => failurePayloads(hook, hooked), signal });
      // Agents with a separate event for failures do not expect failures here.
      const hears = ({ dialect }: CommandHook): boolean => !isFailure || (dialect !== "claude" && dialect !== "cursor");
      const answers = await hooks.run({
        event: "PostToolUse",
        payloadsFor: (hook) => (hears(hook) ? payloadsOf(hook, hooked) : []),
        signal,
      });
      endIfAsked(answers);
      const said = [answers.block, answers.context].filter((text) => text !== undefined);
      if (said.length === 0) return undefined;
      return { ...result, content: [...result.content, { kind: "text", text: `\n\n[hook] ${said.join("\n\n")}` }] };
    },
  };
}

const describeCall = ({ callId, tool, args }: ProposedCall, { agentId }: SeamContext, cwd: string): HookedCall => ({
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
        payloadsFor: () => payload({ trigger, custom_instructions: "" }, [trigger]),
        signal,
      });
      const cancel = block ?? stop;
      return cancel === undefined ? undefined : { cancel };
    },
  };
}

/** Appends the text after the user's, because a hook's text is not an instruction of the user. */
function withContext(content: InputContent, contexts: readonly string[]): InputContent {
  const added = contexts.map((text) => `<hook_context>\n${text}\n</hook_context>`).join("\n\n");
  if (typeof content === "string") return `${content}\n\n${added}`;
  return [...content, { kind: "text", text: `\n\n${added}` }];
}

/** A single payload, the same for hooks of any agent. */
export const payload = (fields: JsonObject, names?: readonly string[]): readonly HookPayload[] => [
  names === undefined ? { fields } : { fields, names },
];
