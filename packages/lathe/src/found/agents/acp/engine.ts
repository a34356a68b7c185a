// Turns an ACP program into a kind of agent. The program starts with the subagent's first request.

import { type AgentType, defineProfile, FAMILIES, type Profile } from "@lathe/agent";
import { type ClientDeps, RoutingClient } from "@lathe/llm";
import type { Agent } from "../agents.ts";
import { ACP_PROVIDER, AcpAdapter } from "./adapter.ts";
import { ACP_TOOLS } from "./tool-names.ts";
import { acpTools } from "./tools.ts";

/** Programs that are downloaded on their first start take a while. */
const START_MS = 60_000;

type AcpParts = Required<Pick<AgentType, "allows" | "engine" | "model" | "isolation">>;

/**
 * Work the agent does with its own tools is applied like that of any isolated agent, so its file cannot turn isolation
 * off.
 */
export function acpAgent(
  { name, prompt, output, isolation = "auto" }: Pick<Agent, "name" | "prompt" | "output" | "isolation">,
  command: readonly [string, ...string[]],
  deps: ClientDeps,
): AcpParts {
  const tools: ReadonlySet<string> = new Set([...Object.values(ACP_TOOLS), "yield"]);
  const schema =
    output && `Your last message must be nothing but JSON that fits this schema:\n${JSON.stringify(output)}`;
  const instructions = [prompt, schema].filter((part) => part !== undefined).join("\n\n");
  return {
    isolation,
    model: `${ACP_PROVIDER}/${name}`,
    allows: (tool) => tools.has(tool.name),
    engine: ({ env }) => {
      const adapter = new AcpAdapter({
        program: `The program of agent ${name}`,
        instructions,
        open: async (signal) => (await import("./link.ts")).openLink({ command, env, startMs: START_MS, signal }),
        setTimer: deps.setTimer,
      });
      const desk = () => ({
        terminals: adapter.link.terminals,
        answer: (...given: Parameters<typeof adapter.answer>) => adapter.answer(...given),
      });
      return {
        client: new RoutingClient({ providers: { [ACP_PROVIDER]: adapter }, deps }),
        tools: acpTools(desk),
        close: () => adapter.close(),
      };
    },
  };
}

/** The profile of a session whose answers come from such a program; undefined if the selector names a model. */
export function acpProfile(selector: string): Profile | undefined {
  const [provider, name] = selector.split("/");
  if (provider !== ACP_PROVIDER || name === undefined) return undefined;
  const profile = defineProfile(FAMILIES.anthropic, { provider, model: name, only: [ACP_TOOLS.write] });
  // The program has its own prompt, and we cannot tell how much it remembers.
  return { ...profile, buildSystemPrompt: () => "", contextWindowSize: 0 };
}
