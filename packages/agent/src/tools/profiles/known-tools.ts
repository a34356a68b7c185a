// Finds the tool behind a name in a past session, whose model may have been of another family.

import type { ToolDef } from "../../contract/tool.ts";
import type { Family } from "./define.ts";
import { editKits } from "./edit-kits.ts";
import { FAMILIES } from "./families.ts";

/** Every built-in tool once, by its name. */
export function knownTools(): readonly ToolDef[] {
  const names = Object.values(FAMILIES).flatMap(({ tools }: Family) => tools.map(({ name }) => name));
  return [...new Set(names)].flatMap((name) => knownTool(name) ?? []);
}

/** The tool of the first family that has one of this name. */
export function knownTool(name: string): ToolDef | undefined {
  for (const family of Object.values(FAMILIES) as Family[]) {
    const tool = family.tools.find((candidate) => candidate.name === name);
    if (tool) return tool;
  }
  return Object.values(editKits)
    .flatMap((kit) => FAMILIES.anthropic.toolsWith?.(kit) ?? [])
    .find((candidate) => candidate.name === name);
}
