// What a session knows about its place of work before its first request.

import type { ExecutionEnvironment } from "../world/env/types.ts";
import { askGit, collectFacts, environmentBlock, type HostFacts } from "./environment.ts";
import type { DocWarner, InstructionDoc } from "./imports.ts";
import { joinDocs, projectDocs } from "./project-docs.ts";

/** Text about the place where the session works; rendered once, then kept in the journal. */
export interface Surroundings {
  /** Date, directory, git state: put before the first user message, never into the system prompt. */
  readonly environment: string;
  /**
   * What the host adds to that first message, such as notes of earlier sessions. The session's agents do not get it.
   */
  readonly notes?: string;
  /** Instruction files of the project. */
  readonly projectDocs: string;
  /** Instruction files of the user, which apply everywhere. */
  readonly userDocs?: string;
  /** Paths of all those files, in the order of the prompt. */
  readonly instructionFiles?: readonly string[];
  /** Replaces the base prompt and the list of tools. */
  readonly customPrompt?: string;
  /** The user's text at the end of the prompt, if the profile has none. */
  readonly userInstructions?: string;
  /** Further sections of the prompt, after the list of tools. */
  readonly sections?: readonly PromptSection[];
}

/** A section of the system prompt that the host adds. */
export interface PromptSection {
  readonly name: string;
  readonly text: string;
}

/** What the host adds to what is read here. */
export interface MoreSurroundings
  extends Pick<Surroundings, "notes" | "customPrompt" | "userInstructions" | "sections"> {
  readonly projectDocs?: readonly InstructionDoc[];
  readonly userDocs?: readonly InstructionDoc[];
  /** Tells the user which parts of the instruction files are skipped. */
  readonly warn?: DocWarner;
}

/** Collects what the first turn tells the model: machine, directory, git state and the project's instruction files. */
export async function readSurroundings(
  env: ExecutionEnvironment,
  instructionFiles: readonly string[],
  known: HostFacts,
  { projectDocs: before, userDocs = [], warn, ...prompt }: MoreSurroundings = {},
): Promise<Surroundings> {
  const git = await (known.git ?? askGit(env, known.gitPatience));
  const [facts, docs] = await Promise.all([
    collectFacts(env, known, git),
    projectDocs(env, instructionFiles, git.root, before, warn),
  ]);
  const own = joinDocs(userDocs, warn);
  const files = [...docs.files, ...own.files];
  return {
    environment: environmentBlock(facts),
    projectDocs: docs.text,
    ...(own.text === "" ? {} : { userDocs: own.text }),
    ...(files.length === 0 ? {} : { instructionFiles: files }),
    ...prompt,
  };
}
