// Another agent's name and parameters for one of our tools: the work, tier and result stay the same.

import { type Fields, object, type StaticFields } from "@lathe/llm/schema";
import type { ToolDef } from "../../../contract/tool.ts";

export interface Face<Inner, P extends Fields> {
  readonly name: string;
  /** The tool's own words when absent. */
  readonly description?: string;
  readonly params: P;
  readonly toInner: (args: StaticFields<P>) => Inner;
  /** Arguments that the tool's preview shows under another name. */
  readonly shows?: readonly (keyof P & string)[];
}

export function faceOf<Inner, P extends Fields>(tool: ToolDef<Inner>, face: Face<Inner, P>): ToolDef<StaticFields<P>> {
  const { tier, access, summary, card, preview, ...rest } = tool;
  const { toInner } = face;
  return {
    ...rest,
    name: face.name,
    description: (face.description ?? tool.description).trim(),
    schema: object(face.params),
    tier: typeof tier === "function" ? (args) => tier(toInner(args)) : tier,
    ...(access ? { access: (args, scope) => access.call(tool, toInner(args), scope) } : {}),
    ...(summary ? { summary: (args) => summary.call(tool, toInner(args)) } : {}),
    ...(card ? { card: (args, result) => card.call(tool, toInner(args), result) } : {}),
    ...(preview
      ? {
          preview: async (args, scope) => {
            const inner = await preview.call(tool, toInner(args), scope);
            return { ...inner, shows: [...inner.shows.filter((name) => name in face.params), ...(face.shows ?? [])] };
          },
        }
      : {}),
    execute: (args, context) => tool.execute(toInner(args), context),
  };
}

/** A prompt that refers to tools by our names, with another agent's names in their place. */
export function renameTools(prompt: string, names: Readonly<Record<string, string>>): string {
  return prompt.replace(/`([a-z_]+)`/g, (quoted, name: string) =>
    Object.hasOwn(names, name) ? `\`${names[name]}\`` : quoted,
  );
}
