// What a child is told about its work. What all agents of a batch share is in the system prompt, in the same words for
// all; what only one of them gets is in its first message.

import type { BatchTask } from "../../contract/subagents.ts";
import ending from "./ending.md";
import type { ChildOpening } from "./parent.ts";
import rosterHead from "./roster.md";
import schemaNote from "./schema.md";

/** The last part of a child's system prompt. */
export function childInstructions(
  { role, type, shared }: Pick<ChildOpening, "role" | "type" | "shared">,
  parents: string | undefined,
): string | undefined {
  const own = role?.prompt ?? parents;
  if (!type) return own;
  const schema = type.output && schemaNote.replace("{{schema}}", () => JSON.stringify(type.output));
  const parts = [type.prompt, ending, schema, shared?.context, own];
  return parts.flatMap((part) => (part === undefined || part.trim() === "" ? [] : [part.trim()])).join("\n\n");
}

/**
 * What all agents of a batch should know. `roster`: the agents that existed before; absent if they cannot exchange
 * messages.
 */
export function batchContext(
  context: string | undefined,
  agentIds: readonly string[],
  roster?: readonly { readonly id: string; readonly description?: string | undefined }[],
): string {
  const parts = context === undefined || context.trim() === "" ? [] : [`# Context\n${context.trim()}`];
  if (agentIds.length > 1)
    parts.push(
      `# Agents at work on this\n${agentIds.join(", ")}. Each has an assignment of its own; leave theirs to them.`,
    );
  if (roster) {
    const before = roster
      .slice(-MOST_LISTED)
      .map(({ id, description }) => `- ${id}${description ? `: ${description}` : ""}`);
    parts.push([rosterHead.trim(), ...before, ...(agentIds.length > 1 ? ["- the agents named above"] : [])].join("\n"));
  }
  return parts.join("\n\n");
}

/** How many agents the roster lists; `irc` lists the others. */
const MOST_LISTED = 24;

/** The first message to a child of a batch. */
export function assignmentText(agentId: string, { assignment }: BatchTask): string {
  return `You are ${agentId}. Your assignment:\n\n${assignment.trim()}`;
}
