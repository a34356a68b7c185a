// Makes a session with everything a coding agent needs in one call: the tools and prompt for the model's family, the
// local machine, the project's instructions, the git state.

import type { ClientDeps, InferSchema, SchemaInput } from "@lathe/llm";
import { OutputCheck } from "../output/output-check.ts";
import type { SessionTape } from "../replay/log.ts";
import { Session } from "../session.ts";
import type { SessionOptions } from "../types.ts";
import { sessionOptionsFor } from "./options.ts";

/** All session options, each of them optional. */
export type GivenSessionOptions = {
  readonly [K in Exclude<keyof SessionOptions, "deps">]?: SessionOptions[K] | undefined;
};

/** Everything but `model` and `cwd` has a default, and any session option may be given. */
export interface CreateSessionOptions<S extends SchemaInput = SchemaInput> extends GivenSessionOptions {
  /** Every final answer must be JSON that fits this schema; `submit` returns it as `output`. */
  readonly outputSchema?: S | undefined;
  /** `provider/id`, such as `anthropic/claude-opus-4-6`. */
  readonly model: string;
  /** Absolute path of the directory that the agent works in. */
  readonly cwd: string;
  /** When absent, the key comes from the provider's environment variable. */
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** Replaces the base layer of the system prompt. */
  readonly systemPrompt?: string | undefined;
  /** How hard the model thinks, such as `high`. */
  readonly reasoning?: string | undefined;
  /** Clock, randomness, environment variables and transport; those of this process when absent. */
  readonly deps?: ClientDeps | undefined;
  /** A `Recorder` or `Replayer`, which must also be given the inputs (`input`, `run`). */
  readonly tape?: SessionTape | undefined;
}

/** Resolves when the environment is ready. Close the session when you are done with it. */
export async function createSession<const S extends SchemaInput = SchemaInput>(
  options: CreateSessionOptions<S>,
): Promise<Session<InferSchema<S>>> {
  const { model, cwd, apiKey, baseUrl, systemPrompt, reasoning, deps, tape, ...session } = options;
  const given = sessionOptionsFor({
    config: { model, apiKey, baseUrl, systemPrompt, reasoning },
    workingDirectory: cwd,
    deps,
    tape,
    session,
  });
  if (given.outputSchema) await OutputCheck.for(given.outputSchema);
  await given.env.initialize();
  return new Session(given);
}
