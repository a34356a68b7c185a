// Colours as numbers of the palette, without a theme.

import type { Style } from "../src/rows/row.ts";
import type { Colours } from "../src/screen/encode.ts";

export const COLOURS: Colours = {
  sgr: (style: Style) =>
    [
      style.bold ? "1" : "",
      style.dim ? "2" : "",
      style.inverse ? "7" : "",
      style.color === undefined ? "" : `38;5;${style.color}`,
      style.background === undefined ? "" : `48;5;${style.background}`,
    ]
      .filter((part) => part !== "")
      .join(";"),
};
