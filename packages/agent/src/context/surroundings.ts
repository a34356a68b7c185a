// What a session knows of the place it works in before its first request.

import type { ExecutionEnvironment } from "../env/types.ts";
import { askGit, collectFacts, environmentBlock, type HostFacts } from "./environment.ts";
import { projectDocs } from "./project-docs.ts";

/** Text about the place the session works in; rendered once, then kept in the journal. */
export interface Surroundings {
  /** Date, directory, git state: placed before the first user message, never in the system prompt. */
  readonly environment: string;
  /** Instruction files of the project. */
  readonly projectDocs: string;
  /** Paths of those files, in the order in which they are in the text. */
  readonly instructionFiles?: readonly string[];
}

/** Reads what the first turn tells the model: machine, directory, git state and the project's instruction files. */
export async function readSurroundings(
  env: ExecutionEnvironment,
  instructionFiles: readonly string[],
  known: HostFacts,
): Promise<Surroundings> {
  const git = await (known.git ?? askGit(env, known.gitTimeoutMs));
  const [facts, docs] = await Promise.all([
    collectFacts(env, known, git),
    projectDocs(env, instructionFiles, git.root),
  ]);
  return {
    environment: environmentBlock(facts),
    projectDocs: docs.text,
    ...(docs.files.length === 0 ? {} : { instructionFiles: docs.files }),
  };
}
