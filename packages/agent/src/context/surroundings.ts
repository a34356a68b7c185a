// What a session knows of the place it works in before its first request.

import type { ExecutionEnvironment } from "../env/types.ts";
import { askGit, collectFacts, environmentBlock, type Known } from "./environment.ts";
import { projectDocs } from "./project-docs.ts";

/** Text about the place the session works in; rendered once, then kept in the journal. */
export interface Surroundings {
  /** Date, directory, git state: placed before the first user message, never in the system prompt. */
  readonly environment: string;
  /** Instruction files of the project. */
  readonly projectDocs: string;
}

export async function readSurroundings(
  env: ExecutionEnvironment,
  instructionFiles: readonly string[],
  known: Known,
): Promise<Surroundings> {
  const git = await (known.git ?? askGit(env, known.gitTimeoutMs));
  const [facts, docs] = await Promise.all([
    collectFacts(env, known, git),
    projectDocs(env, instructionFiles, git.root),
  ]);
  return { environment: environmentBlock(facts), projectDocs: docs };
}
