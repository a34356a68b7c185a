// From the few options of a headless host (model, key, directory) to everything a session needs.

import { builtinCatalog, Client, type ClientDeps, getModelInfo } from "@lathe/llm";
import { createProvider } from "@lathe/llm/providers";
import { readSurroundings } from "../context/surroundings.ts";
import { LocalEnvironment } from "../env/local.ts";
import type { Journal } from "../journal/journal.ts";
import { defineProfile } from "../profiles/define.ts";
import { FAMILIES, familyOf } from "../profiles/families.ts";
import type { SessionOptions } from "../session/types.ts";

interface AgentConfig {
  /** `provider/id`. */
  readonly model: string;
  readonly apiKey: string;
  readonly baseUrl?: string;
  /** Replaces the base layer of the prompt. */
  readonly systemPrompt?: string;
  readonly reasoning?: string;
}

export interface CodingAgentOptions {
  readonly config: AgentConfig;
  /** Absolute. */
  readonly workingDirectory: string;
  /** Clock, randomness, environment variables and transport; `defaultDeps()` of the llm package. */
  readonly deps: ClientDeps;
  /** The conversation's file; in memory when absent. */
  readonly journal?: Journal;
  /** Anything else a session takes. */
  readonly session?: Partial<SessionOptions>;
}

export function sessionOptionsFor(options: CodingAgentOptions): SessionOptions {
  const { config, deps, journal } = options;
  const slash = config.model.indexOf("/");
  if (slash < 1) throw new Error(`the model must be given as provider/id, not "${config.model}"`);
  const provider = config.model.slice(0, slash);
  const model = config.model.slice(slash + 1);
  const info = builtinCatalog.get(provider, model) ?? getModelInfo(model);
  const profile = defineProfile(FAMILIES[familyOf(model)], {
    model,
    provider,
    ...(info === undefined ? {} : { modelInfo: info }),
    ...(config.systemPrompt === undefined ? {} : { basePrompt: config.systemPrompt }),
  });
  const adapter = createProvider(provider, {
    apiKey: config.apiKey,
    deps,
    ...(config.baseUrl === undefined ? {} : { baseUrl: config.baseUrl }),
  });
  return {
    profile,
    env: new LocalEnvironment({ cwd: options.workingDirectory, baseEnv: deps.env }),
    client: new Client({ providers: { [provider]: adapter }, deps }),
    deps,
    ...(journal === undefined ? {} : { journal }),
    surroundings: (current, env) =>
      readSurroundings(env, current.instructionFiles, { now: deps.now(), model: current.model }),
    ...options.session,
    config: {
      ...options.session?.config,
      ...(config.reasoning === undefined ? {} : { reasoningEffort: config.reasoning }),
    },
  };
}
