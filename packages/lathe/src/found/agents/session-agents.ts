// The agents of a session: their files in the form the loop takes, with models, permissions and tools, and the tool
// that starts them.

import {
  type AgentLimits,
  type AgentType,
  type Middleware,
  type SubagentOptions,
  type ToolDef,
  taskTool,
} from "@lathe/agent";
import { judge, type Places } from "@lathe/agent/policy";
import { messageOf } from "@lathe/llm";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { ModelChoice } from "../../models/connect.ts";
import type { Models } from "../../models/models.ts";
import { withEffort } from "../../models/roles.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { isAnythingHere } from "../discovery/agent-places.ts";
import type { DiscoveredWorkspace } from "../discovery/discovery.ts";
import { placeOf } from "../discovery/place.ts";
import { warningLine } from "../discovery/warning-line.ts";
import { acpAgent } from "./acp/engine.ts";
import { bundledDescriptions, sourceName } from "./agent-labels.ts";
import { allowedTools, readingGuard } from "./agent-tools.ts";
import type { Agent } from "./agents.ts";

export interface SessionAgentParts {
  readonly workspace: DiscoveredWorkspace;
  readonly models: Models;
  readonly current: () => ModelChoice;
  readonly places: () => Places;
  /** Uses bundled agents only, so that a recording is the same everywhere. */
  readonly bundledOnly: boolean;
  /** Whether agents may work in isolated copies. */
  readonly canIsolate: boolean;
}

/** The roles that set the models of agents with these names. */
const ROLES: Readonly<Record<string, string | undefined>> = {
  task: "executor",
  plan: "planner",
  architect: "architect",
  critic: "critic",
};

export class SessionAgents {
  readonly #parts: SessionAgentParts;
  /** Problems of files that were reported, so that each is reported only once. */
  readonly #reported = new Set<string>();
  #warn: ((message: string) => void) | undefined;

  constructor(parts: SessionAgentParts) {
    this.#parts = parts;
  }

  /** Called when the session is open: reports the problems found so far, and later ones as they come up. */
  opened(warn: (message: string) => void): void {
    for (const line of this.#reported) warn(line);
    this.#warn = warn;
  }

  /** The options for the session's subagents. */
  options(): Pick<SubagentOptions, "types" | "refusal" | "limits" | "irc" | "isTaped"> {
    return {
      isTaped: this.#parts.bundledOnly,
      types: async () => Promise.all((await this.#agents()).map((agent) => this.#typeOf(agent))),
      refusal: (name) => this.#refusal(name),
      limits: () => limitsOf(this.#parts.workspace),
      irc: { timeoutMs: () => this.#parts.workspace.settings["irc.timeoutMs"] },
    };
  }

  /**
   * In a folder without files this searches for nothing. The tool's description lists the agents of this moment: later
   * files can be started, but the prompt does not change.
   */
  async tool(hasFiles: boolean): Promise<ToolDef> {
    const { settings } = this.#parts.workspace;
    const known = this.#parts.bundledOnly || !hasFiles ? bundledDescriptions() : await this.#agents();
    const agents = known.filter(({ name }) => this.#refusal(name) === undefined);
    const isolation = this.#parts.canIsolate && settings["task.isolation.mode"] !== "none";
    const records = recordLimits(this.#parts.workspace);
    return taskTool({ agents, batch: settings["task.batch"], isolation, records });
  }

  async #agents(): Promise<readonly Agent[]> {
    const { workspace, bundledOnly } = this.#parts;
    const { agentsOf, bundledAgents } = await import("./agents.ts");
    if (bundledOnly || !isAnythingHere(placeOf(workspace))) return bundledAgents();
    const { active, warnings } = await agentsOf(workspace);
    for (const line of warnings.map(warningLine)) this.#report(line);
    return active;
  }

  #report(line: string): void {
    if (!this.#reported.has(line)) this.#warn?.(line);
    this.#reported.add(line);
  }

  #refusal(name: string): string | undefined {
    const { settings, env } = this.#parts.workspace;
    if (settings["task.disabledAgents"].includes(name)) return `The agent ${name} is disabled (task.disabledAgents).`;
    return env["LATHE_BLOCKED_AGENT"] === name ? `The agent ${name} cannot be started from here.` : undefined;
  }

  async #typeOf(agent: Agent): Promise<AgentType> {
    const { name, description, spawns, output, blocking, budget, isolation, verify, tools, aliases, acp } = agent;
    return {
      name,
      aliases,
      description,
      source: sourceName(agent),
      prompt: await this.#promptOf(agent),
      spawns,
      blocking,
      allows: allowedTools(tools, spawns),
      model: acp ? undefined : this.#modelOf(agent),
      output,
      budget,
      // A check is useless if the work has already changed the project's files, so it implies isolation.
      isolation: isolation ?? (verify === undefined ? undefined : "auto"),
      verify,
      middleware: [...this.#permissionMiddleware(agent), ...readingGuard(tools)],
      ...(agent.summarizesReads === undefined ? {} : { reading: { summarize: agent.summarizesReads } }),
      ...(acp ? acpAgent(agent, acp, this.#parts.workspace.machine.deps) : {}),
    };
  }

  /** The prompt with the skills that the agent's file names. */
  async #promptOf({ name, prompt, skills: wanted }: Agent): Promise<string> {
    if (wanted.length === 0) return prompt;
    const { skillPrompt: givenSkill, skillsOf } = await import("../skills/skills.ts");
    const { skills } = await skillsOf(this.#parts.workspace);
    const given = wanted.flatMap((one) => {
      const skill = skills.find((known) => known.name === one);
      if (!skill)
        this.#report(`The agent ${name} wants the skill ${one}, which is not found here; it runs without it.`);
      return skill ? [givenSkill(skill)] : [];
    });
    return [prompt, ...given].join("\n\n");
  }

  /** The model from the settings, otherwise from the agent's file; undefined means the parent's. */
  #modelOf({ name, aliases, models, thinkingLevel }: Agent): string | undefined {
    const { models: known, current, workspace } = this.#parts;
    const overrides = workspace.settings["task.agentModelOverrides"];
    const [override] = [name, ...aliases].flatMap((one) => (Object.hasOwn(overrides, one) ? [overrides[one]] : []));
    if (override !== undefined && isAvailable(known, override)) return override;
    if (override !== undefined)
      this.#report(
        `task.agentModelOverrides: the model ${override} of agent ${name} is not available; see lathe models`,
      );
    const chosen = [name, ROLES[name]].map((role) => (role === undefined ? "" : known.chosenFor(role)));
    const wanted = [...chosen, ...models].filter((one) => one !== "");
    const selector = wanted.find((one) => isAvailable(known, one));
    if (thinkingLevel === undefined) return selector;
    const { provider, id } = current();
    return withEffort(selector ?? `${provider}/${id}`, thinkingLevel);
  }

  #permissionMiddleware({ name, permissions }: Agent): readonly Middleware[] {
    const { mode = "full", rules } = permissions;
    if (permissions.mode === undefined && rules.length === 0) return [];
    return [
      {
        name: `agent ${name}`,
        approve: ({ tool, tier, access }) => {
          const policy = { mode, rules, places: this.#parts.places() };
          const { decision, reason } = judge({ tool: tool.name, tier, access }, policy);
          // The file can only restrict.
          return decision === "allow" ? undefined : { decision, by: `the file of agent ${name}`, reason };
        },
      },
    ];
  }
}

function isAvailable(models: Models, selector: string): boolean {
  try {
    models.choose(selector);
    return true;
  } catch (error) {
    // The role has no model, or the model is not available on this machine.
    if (messageOf(error) !== "") return false;
    throw error;
  }
}

/** Limits for the output kept in a record of `task`. */
function recordLimits({ env }: Workspace): { readonly bytes?: number; readonly lines?: number } {
  const limit = (name: string): number | undefined => {
    const text = env[name]?.trim() ?? "";
    if (text === "") return undefined;
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
    throw usageError(`${name} must be a whole number above 0, not ${JSON.stringify(text)}.`);
  };
  const [bytes, lines] = [limit("LATHE_TASK_MAX_OUTPUT_BYTES"), limit("LATHE_TASK_MAX_OUTPUT_LINES")];
  return { ...(bytes === undefined ? {} : { bytes }), ...(lines === undefined ? {} : { lines }) };
}

function limitsOf({ settings }: Workspace): AgentLimits {
  return {
    concurrency: settings["task.maxConcurrency"],
    runMs: settings["task.maxRuntimeMs"],
    requests: settings["task.softRequestBudget"],
    idleMs: settings["task.agentIdleTtlMs"],
  };
}
