// The nested calls behind `completion()` and `agent()` in a cell. They are not offered to the model; only calls inside
// calls find them.

import type { JsonObject, JsonSchema } from "@lathe/llm";
import { anyObject, choice, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import "../../../contract/subagents.ts";
import { type ToolContext, type ToolDef, ToolFailure } from "../../../contract/tool.ts";
import { AGENT_OUTPUT } from "../output.ts";
import { agentAccess } from "../spawn-agent/index.ts";

const completionParams = {
  prompt: text(),
  model: optional(choice(["smol", "default", "slow"])),
  system: optional(text()),
  schema: optional(anyObject()),
};

const agentParams = {
  prompt: text(),
  agentType: optional(text()),
  model: optional(text()),
  label: optional(text()),
  schema: optional(anyObject()),
};

/** The tool that the model is forced to call if a cell wants an object. */
const RESPOND = "respond";

export const completionCall: ToolDef<StaticFields<typeof completionParams>> = {
  name: "eval_completion",
  label: "Ask a model",
  description: "What completion() in a cell does.",
  schema: object(completionParams),
  hidden: true,
  tier: "read",
  replay: "never",
  needs: ["cells", "sideModel"],
  timeoutMs: 0,
  output: { chars: 1_000_000, mode: "head" },
  access: () => [],
  summary: ({ prompt }) => prompt,
  async execute({ prompt, model = "default", system, schema }, { services, signal }) {
    const parameters = schema as JsonSchema | undefined;
    const tools = parameters && [
      { name: RESPOND, description: "Gives the answer.", parameters: { ...parameters, type: "object" } },
    ];
    const { text: said, calls } = await services.sideModel!(
      model,
      {
        messages: [
          ...(system === undefined
            ? []
            : [{ role: "system" as const, content: [{ kind: "text" as const, text: system }] }]),
          { role: "user", content: [{ kind: "text", text: prompt }] },
        ],
        ...(tools ? { tools, toolChoice: { mode: "named" as const, toolName: RESPOND } } : {}),
      },
      signal,
    );
    if (!parameters) {
      if (said.trim() === "") throw new ToolFailure("The model gave no answer.");
      return { content: [{ kind: "text", text: said }], effects: "none", isWhole: true };
    }
    const given = calls.find(({ name }) => name === RESPOND)?.arguments;
    if (given === undefined) throw new ToolFailure("The model gave no object.");
    const object = typeof given === "string" ? given : JSON.stringify(given);
    return { content: [{ kind: "text", text: object }], effects: "none", isWhole: true };
  },
};

export const agentCall: ToolDef<StaticFields<typeof agentParams>> = {
  name: "eval_agent",
  feature: "agents",
  label: "Agent",
  description: "What agent() in a cell does.",
  schema: object(agentParams),
  hidden: true,
  tier: "exec",
  replay: "never",
  sessionOnly: true,
  needs: ["cells", "subagents"],
  // Agents have their own deadlines.
  timeoutMs: 0,
  output: AGENT_OUTPUT,
  access: ({ prompt }, scope) => agentAccess(prompt, undefined, scope),
  summary: ({ label, prompt }) => label ?? prompt,
  async execute({ prompt, agentType = "task", model, label, schema }, context) {
    const report = await runAgent(context, {
      task: prompt,
      agent: agentType,
      model,
      id: label,
      schema: schema as JsonObject,
    });
    const { agentId, status, output, hasNotYielded } = report;
    if (status === "failed") throw new ToolFailure(`Agent ${agentId} failed: ${output}`);
    if (schema && hasNotYielded) throw new ToolFailure(`Agent ${agentId} gave no object: ${output}`);
    return { content: [{ kind: "text", text: output }], details: { agentId }, effects: "done", isWhole: true };
  },
};

async function runAgent(
  { services, callId, signal }: ToolContext,
  request: Pick<
    Parameters<NonNullable<ToolContext["services"]["subagents"]>["spawn"]>[0],
    "task" | "agent" | "model" | "id" | "schema"
  >,
) {
  const subagents = services.subagents!;
  const { agentId } = await subagents.spawn({ ...request, callId });
  try {
    return await subagents.wait(agentId, signal);
  } catch (error) {
    if (signal.aborted) await subagents.directory.stop(agentId);
    throw error;
  }
}
