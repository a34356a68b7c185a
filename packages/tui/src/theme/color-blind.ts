// The setting for people who cannot tell green from red: added lines turn from green to blue. Only that one colour changes, so
// that a theme of one's own stays what it is.

import type { ThemeDefinition } from "./definition.ts";
import { hexOf, isHex, type Rgb, rgbOf } from "./palette.ts";

export function forColorBlind(definition: ThemeDefinition): ThemeDefinition {
  const added = definition.colors.toolDiffAdded;
  if (typeof added !== "string" || !isHex(added)) return definition;
  return { ...definition, colors: { ...definition.colors, toolDiffAdded: hexOf(turnedBlue(rgbOf(added))) } };
}

/** Same brightness and strength. Greens only: a colour that is blue already, or none, stays. */
function turnedBlue([red, green, blue]: Rgb): Rgb {
  const isGreen = green > red && green > blue;
  return isGreen ? [Math.min(red, blue), Math.round((green + Math.min(red, blue)) / 2), green] : [red, green, blue];
}
