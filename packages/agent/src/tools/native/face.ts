// Another agent's name and parameters for one of our tools: the work, tier and result stay the same.

import { type ArgsOf, type Param, parameters } from "../params.ts";
import type { ToolDef } from "../../contract/tool.ts";

type Params = Readonly<Record<string, Param<unknown, boolean>>>;

export interface Face<Inner, P extends Params> {
  readonly name: string;
  /** The tool's own words when absent. */
  readonly description?: string;
  readonly params: P;
  readonly toInner: (args: ArgsOf<P>) => Inner;
}

export function faceOf<Inner, P extends Params>(tool: ToolDef<Inner>, face: Face<Inner, P>): ToolDef<ArgsOf<P>> {
  const { tier } = tool;
  return {
    ...tool,
    name: face.name,
    description: (face.description ?? tool.description).trim(),
    schema: parameters(face.params),
    tier: typeof tier === "function" ? (args) => tier(face.toInner(args)) : tier,
    execute: (args, context) => tool.execute(face.toInner(args), context),
  };
}

/** A prompt that speaks of tools by our names, with another agent's names in their place. */
export function renamed(prompt: string, names: Readonly<Record<string, string>>): string {
  return prompt.replace(/`([a-z_]+)`/g, (quoted, name: string) =>
    Object.hasOwn(names, name) ? `\`${names[name]}\`` : quoted,
  );
}
