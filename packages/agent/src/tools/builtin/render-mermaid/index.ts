// Renders a mermaid diagram as text. It is parsed and drawn in the parser process, because a diagram may come from an
// untrusted file.

import { flag, number, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import { type ToolDef, ToolFailure } from "../../../contract/tool.ts";
import { ParserFailure, runParser } from "../../../files/parser/run-parser.ts";
import type { DiagramInput } from "../../../files/parser/tasks/diagram/draw-diagram.ts";
import { tail, verbOf } from "../card.ts";
import description from "./description.md";

declare module "../../../contract/tool.ts" {
  interface ToolServices {
    /** Present if diagrams may be rendered. */
    readonly diagrams?: true;
  }
}

const params = {
  mermaid: text("The diagram, beginning with its kind, such as `flowchart LR`"),
  config: optional(
    object({
      useAscii: optional(flag("Draw with - | + instead of line characters")),
      paddingX: optional(number({ description: "Columns between boxes; 5 when not given" })),
      paddingY: optional(number({ description: "Rows between boxes; 5 when not given" })),
      boxBorderPadding: optional(number({ description: "Space around a label in its box; 1 when not given" })),
    }),
  ),
};

type Args = StaticFields<typeof params>;

/** A larger padding would draw mostly blank space. */
const MOST_PADDING = 50;
const SHOWN_LINES = 40;

export const renderMermaidTool: ToolDef<Args> = {
  name: "render_mermaid",
  label: "Draw a diagram",
  description: description.trim(),
  schema: object(params),
  tier: "read",
  replay: "safe",
  loadMode: "discoverable",
  needs: ["diagrams"],
  output: { chars: 50_000, mode: "head", lines: 3000 },
  access: () => [],
  summary: ({ mermaid }) => headerOf(mermaid),
  card: ({ mermaid }, result) => ({
    verb: verbOf(["Drawing", "Drew", "Draw"], result),
    subject: headerOf(mermaid),
    body: result === undefined || result.isError ? undefined : tail(result.text, SHOWN_LINES),
  }),
  async execute({ mermaid, config = {} }, context) {
    const input: DiagramInput = {
      mermaid,
      useAscii: config.useAscii ?? false,
      paddingX: atLeastZero(config.paddingX),
      paddingY: atLeastZero(config.paddingY),
      boxBorderPadding: atLeastZero(config.boxBorderPadding),
    };
    const drawn = await runParser<string>("diagram.draw", input, { scope: context, path: "The diagram" }).catch(
      (error) => {
        throw error instanceof ParserFailure ? new ToolFailure(`The diagram was not drawn: ${error.why}.`) : error;
      },
    );
    const artifact = context.openArtifact("render_mermaid");
    artifact.write(Buffer.from(drawn));
    const { id } = await artifact.close();
    return {
      content: [{ kind: "text", text: `${drawn}\n\nSaved artifact: artifact://${id}` }],
      details: { artifact: id, lines: drawn.split("\n").length },
      effects: "none",
    };
  },
};

const headerOf = (mermaid: string): string => mermaid.trim().split(/[\n;]/, 1)[0] ?? "";

const atLeastZero = (value: number | undefined): number | undefined =>
  value === undefined ? undefined : Math.min(Math.max(Math.floor(value), 0), MOST_PADDING);
