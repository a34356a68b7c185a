// The user's desktop as a tool. The host owns its single executor and the kill switch; this tool is the interface for
// the model.

import { choice, integer, number, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import { type ToolContext, type ToolDef, ToolFailure, type ToolResult } from "../../../contract/tool.ts";
import { verbOf } from "../card.ts";
import description from "./description.md";

const ACTIONS = ["screenshot", "click", "double_click", "move", "drag", "scroll", "type", "keypress", "wait"] as const;

const params = {
  action: choice(ACTIONS, "What to do"),
  x: optional(number({ description: "Where, in pixels of the last picture" })),
  y: optional(number({ description: "Where, in pixels of the last picture" })),
  to_x: optional(number({ description: "Where a drag ends" })),
  to_y: optional(number({ description: "Where a drag ends" })),
  button: optional(choice(["left", "middle", "right"], "left when not given")),
  dx: optional(integer({ description: "Steps to scroll to the right; negative: to the left" })),
  dy: optional(integer({ description: "Steps to scroll down; negative: up" })),
  text: optional(text("What to type")),
  keys: optional(text("Keys to press together, such as ctrl+s or Return")),
  ms: optional(integer({ description: "How long to wait, at most 10000" })),
};

/** An action that the model requests on the desktop. */
export type DesktopOrder = StaticFields<typeof params>;

/** The screen after an action. */
export interface DesktopPicture {
  readonly png: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Executes all desktop actions. */
export interface Desktop {
  /** Fails with ToolFailure, also if the user has stopped it. */
  act(order: DesktopOrder, signal: AbortSignal): Promise<DesktopPicture>;
}

declare module "../../../contract/tool.ts" {
  interface ToolServices {
    readonly desktop?: Desktop;
  }
}

export const computerTool: ToolDef<DesktopOrder> = {
  name: "computer",
  label: "Use the desktop",
  description: description.trim(),
  schema: object(params),
  // We cannot tell what a click will do, so the call declares nothing: the user is asked until they allow the tool.
  tier: "exec",
  replay: "never",
  loadMode: "discoverable",
  needs: ["desktop"],
  exclusive: true,
  summary: sentenceOf,
  card: (order, result) => ({
    verb: verbOf(["Desktop:", "Desktop:", "Desktop:"], result),
    subject: sentenceOf(order),
  }),
  preview: (order) => ({
    lines: [{ text: `Let the agent use your desktop: ${sentenceOf(order)}`, kind: "question" }],
    shows: Object.keys(params),
  }),
  async execute(order, { services, signal }: ToolContext): Promise<ToolResult> {
    if (!services.desktop) throw new ToolFailure("There is no desktop here.");
    const { png, width, height } = await services.desktop.act(order, signal);
    const said = `${sentenceOf(order)}: done. The screen, ${width}x${height} pixels:`;
    return {
      content: [
        { kind: "text", text: services.vision === true ? said : `${said} (this model cannot see pictures)` },
        ...(services.vision === true ? [{ kind: "image" as const, image: { data: png, mediaType: "image/png" } }] : []),
      ],
      details: { action: order.action, width, height },
      effects: order.action === "screenshot" || order.action === "wait" ? "none" : "done",
    };
  },
};

/** The action in words, with all its arguments. */
function sentenceOf({ action, x, y, to_x, to_y, button, dx, dy, text: typed, keys, ms }: DesktopOrder): string {
  const place = x === undefined && y === undefined ? "" : ` at ${x},${y}`;
  const facts = [
    to_x === undefined && to_y === undefined ? "" : ` to ${to_x},${to_y}`,
    button === undefined ? "" : ` with the ${button} button`,
    dx === undefined && dy === undefined ? "" : ` by ${dx ?? 0},${dy ?? 0}`,
    typed === undefined ? "" : ` ${JSON.stringify(typed)}`,
    keys === undefined ? "" : ` ${keys}`,
    ms === undefined ? "" : ` ${ms} ms`,
  ];
  return `${String(action).replace("_", " ")}${place}${facts.join("")}`;
}
