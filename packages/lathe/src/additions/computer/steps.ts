// Turns an action into programs to run, one after the other. Coordinates are those of the picture that the model saw.

import { ToolFailure } from "@lathe/agent";
import type { DesktopOrder } from "@lathe/agent/tools";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size of a picture, and the area of the screen that it shows. */
export interface Shot {
  readonly picture: Size;
  readonly screen: Size & { readonly left?: number; readonly top?: number };
}

/** `run`: a program and its arguments. `wait`: milliseconds. The user can stop everything between two steps. */
export type Step = { readonly run: readonly string[] } | { readonly wait: number };

const BUTTONS = { left: "1", middle: "2", right: "3" } as const;
const DRAG_STEPS = 12;
const DRAG_PAUSE_MS = 15;
const MOST_WAIT_MS = 10_000;
const MOST_SCROLL = 50;
/** Characters per typing step. A stop takes effect between two steps. */
const TYPED_PIECE = 40;
const KEYS = /^[\w]+(?:\+[\w]+)*$/;

/** The pixel of the screen under a pixel of the picture. */
export function toScreen(x: number | undefined, y: number | undefined, { picture, screen }: Shot): [number, number] {
  for (const [name, value, most] of [
    ["x", x, picture.width],
    ["y", y, picture.height],
  ] as const) {
    if (value === undefined) throw new ToolFailure(`Give \`${name}\`: a pixel of the last picture.`);
    if (!Number.isFinite(value) || value < 0 || value >= most)
      throw new ToolFailure(`\`${name}\` must be from 0 to ${most - 1}, a pixel of the last picture; it is ${value}.`);
  }
  const along = (value: number, from: number, to: number, begin: number): number =>
    begin + Math.min(to - 1, Math.floor(((value + 0.5) * to) / from));
  return [
    along(x as number, picture.width, screen.width, screen.left ?? 0),
    along(y as number, picture.height, screen.height, screen.top ?? 0),
  ];
}

export function stepsOf(order: DesktopOrder, shot: Shot): readonly Step[] {
  const { action, x, y, text, keys, ms = 500, dx = 0, dy = 0, button = "left" } = order;
  const mouse = (...words: readonly string[]): Step => ({ run: ["xdotool", ...words] });
  const moveTo = (at: readonly [number, number]): Step => mouse("mousemove", String(at[0]), String(at[1]));
  const number = BUTTONS[button];
  switch (action) {
    case "screenshot":
      return [];
    case "wait":
      return [{ wait: Math.min(Math.max(ms, 0), MOST_WAIT_MS) }];
    case "move":
      return [moveTo(toScreen(x, y, shot))];
    case "click":
      return [moveTo(toScreen(x, y, shot)), mouse("click", number)];
    case "double_click":
      return [moveTo(toScreen(x, y, shot)), mouse("click", "--repeat", "2", "--delay", "60", number)];
    case "drag":
      return dragSteps(toScreen(x, y, shot), toScreen(order.to_x, order.to_y, shot), number, mouse, moveTo);
    case "scroll": {
      const turns = (count: number, less: string, more: string): Step[] =>
        Array.from({ length: Math.min(Math.abs(count), MOST_SCROLL) }, () => mouse("click", count < 0 ? less : more));
      if (dx === 0 && dy === 0) throw new ToolFailure("Give `dx` or `dy`: how many steps to scroll.");
      return [moveTo(toScreen(x, y, shot)), ...turns(dy, "4", "5"), ...turns(dx, "6", "7")];
    }
    case "type":
      if (!text) throw new ToolFailure("Give `text`: what to type.");
      return piecesOf(text).map((piece) => mouse("type", "--delay", "8", "--", piece));
    case "keypress":
      if (!keys || !KEYS.test(keys)) throw new ToolFailure("Give `keys`: such as ctrl+s, alt+F4 or Return.");
      return [mouse("key", "--", keys)];
  }
}

function dragSteps(
  from: readonly [number, number],
  to: readonly [number, number],
  button: string,
  mouse: (...words: readonly string[]) => Step,
  moveTo: (at: readonly [number, number]) => Step,
): readonly Step[] {
  const between = Array.from({ length: DRAG_STEPS }, (_, at): Step[] => {
    const part = (at + 1) / DRAG_STEPS;
    const along = (begin: number, end: number): number => Math.round(begin + (end - begin) * part);
    return [moveTo([along(from[0], to[0]), along(from[1], to[1])]), { wait: DRAG_PAUSE_MS }];
  });
  return [moveTo(from), mouse("mousedown", button), ...between.flat(), mouse("mouseup", button)];
}

function piecesOf(text: string): string[] {
  const chars = [...text];
  return Array.from({ length: Math.ceil(chars.length / TYPED_PIECE) }, (_, at) =>
    chars.slice(at * TYPED_PIECE, (at + 1) * TYPED_PIECE).join(""),
  );
}
