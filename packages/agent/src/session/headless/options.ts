// Turns the few options of a headless host (model, key, directory) into everything a session needs.

import { builtinCatalog, Client, type ClientDeps, defaultDeps, getModelInfo } from "@lathe/llm";
import { createProvider } from "@lathe/llm/providers";
import { readSurroundings } from "../../context/surroundings.ts";
import { SessionError } from "../../contract/session-error.ts";
import type { Journal } from "../../record/journal/journal.ts";
import { defineProfile } from "../../tools/profiles/define.ts";
import { FAMILIES, familyOf } from "../../tools/profiles/families.ts";
import { LocalEnvironment } from "../../world/env/local.ts";
import type { SessionTape } from "../replay/log.ts";
import type { SessionOptions } from "../types.ts";

/** Which model answers and how to reach it. */
export interface AgentConfig {
  /** `provider/id`. */
  readonly model: string;
  /** When absent, the key comes from the provider's environment variable. */
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** Replaces the base layer of the prompt. */
  readonly systemPrompt?: string | undefined;
  readonly reasoning?: string | undefined;
}

/** What a CodingAgent needs: a model and a directory; everything else has a default. */
export interface CodingAgentOptions {
  readonly config: AgentConfig;
  /** Absolute. */
  readonly workingDirectory: string;
  /** Clock, randomness, environment variables and transport; `defaultDeps()` of the llm package when absent. */
  readonly deps?: ClientDeps | undefined;
  /** The journal of the conversation; in memory when absent. */
  readonly journal?: Journal | undefined;
  /** Records everything that comes from outside, or replays it. */
  readonly tape?: SessionTape | undefined;
  /** Any other session options. */
  readonly session?: { readonly [K in keyof SessionOptions]?: SessionOptions[K] | undefined } | undefined;
}

export function sessionOptionsFor(options: CodingAgentOptions): SessionOptions {
  const { config, journal, tape } = options;
  const machine = options.deps ?? defaultDeps();
  const deps = tape?.deps(machine) ?? machine;
  // An undefined option counts as absent: it must not replace a default.
  const given: Partial<SessionOptions> = Object.fromEntries(
    Object.entries(options.session ?? {}).filter(([, value]) => value !== undefined),
  );
  // A host in JavaScript has no compiler that would report missing options.
  if (typeof config.model !== "string") throw new SessionError("model", "the model is missing: give it as provider/id");
  if (given.env === undefined && !options.workingDirectory)
    throw new SessionError("config", "the working directory is missing: give its absolute path");
  const slash = config.model.indexOf("/");
  if (slash < 1) throw new SessionError("model", `the model must be given as provider/id, not "${config.model}"`);
  const provider = config.model.slice(0, slash);
  const model = config.model.slice(slash + 1);
  const info = builtinCatalog.get(provider, model) ?? getModelInfo(model);
  const profile = defineProfile(FAMILIES[familyOf(model, info?.contextWindow)], {
    model,
    provider,
    ...(info === undefined ? {} : { modelInfo: info }),
    ...(config.systemPrompt === undefined ? {} : { basePrompt: config.systemPrompt }),
  });
  // A client from the host may also serve other sessions, and may know providers that only the host has.
  const client = given.client ?? clientFor(provider, config, deps);
  const closeClient = async (): Promise<void> => {
    await given.beforeClose?.();
    if (client instanceof Client && client !== given.client) await client.close();
  };
  const surroundings: NonNullable<SessionOptions["surroundings"]> =
    given.surroundings ??
    ((current, env) => readSurroundings(env, current.instructionFiles, { now: deps.now(), model: current.model }));
  return {
    profile,
    env: new LocalEnvironment({ cwd: options.workingDirectory, baseEnv: deps.env }),
    deps,
    ...(journal === undefined ? {} : { journal }),
    ...(tape && {
      aroundExecute: tape.aroundExecute,
      aroundAccess: tape.aroundAccess,
      aroundNested: tape.aroundNested,
    }),
    ...given,
    // With a tape: the date, directory and instructions of the day of the recording.
    surroundings: tape ? (current, env) => tape.takeOutcome(async () => surroundings(current, env)) : surroundings,
    client,
    beforeClose: closeClient,
    config: {
      ...given.config,
      ...(config.reasoning === undefined ? {} : { reasoningEffort: config.reasoning }),
    },
  };
}

function clientFor(provider: string, { apiKey, baseUrl }: AgentConfig, deps: ClientDeps): Client {
  const adapter = createProvider(provider, {
    deps,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  });
  return new Client({ providers: { [provider]: adapter }, deps });
}
