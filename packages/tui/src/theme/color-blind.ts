// The setting for people who cannot tell green from red: added lines become blue instead of green. Only that one colour
// changes, so that a custom theme otherwise stays as it is.

import type { ThemeDefinition } from "./definition.ts";
import { hexOf, isHex, type Rgb, rgbOf } from "./palette.ts";

export function forColorBlind(definition: ThemeDefinition): ThemeDefinition {
  const added = definition.colors.toolDiffAdded;
  if (typeof added !== "string" || !isHex(added)) return definition;
  return { ...definition, colors: { ...definition.colors, toolDiffAdded: hexOf(shiftToBlue(rgbOf(added))) } };
}

/** Same brightness and saturation. Only greens change: other colours, or none, stay. */
function shiftToBlue([red, green, blue]: Rgb): Rgb {
  const isGreen = green > red && green > blue;
  return isGreen ? [Math.min(red, blue), Math.round((green + Math.min(red, blue)) / 2), green] : [red, green, blue];
}
