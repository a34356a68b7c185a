// Gives the model the instruction files of the folders it works in.

import { folderInstructions } from "../folder-instructions/folder-instructions.ts";
import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

/** Recorded runs get none: what the files said could not be replayed. */
export function folderInstructionsPart({
  env,
  profile,
  request,
}: Pick<SessionBase, "env" | "profile" | "request">): SessionPart | undefined {
  if (request.tape) return undefined;
  return { name: "folder instructions", middleware: [folderInstructions(env, profile.instructionFiles)] };
}
