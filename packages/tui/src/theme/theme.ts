// A loaded theme: converts styles to SGR parameters. It is called for every span of every row, so results are cached
// per style.

import type { Colour, Style } from "../rows/row.ts";
import type { ThemeDefinition } from "./definition.ts";
import type { ColourMode } from "./mode.ts";
import { exactIndex, isHex, nearestIndex, rgbOf } from "./palette.ts";
import { type SymbolPreset, symbolsFor } from "./symbol-sets.ts";
import type { Symbols } from "./symbols.ts";
import type { Token } from "./tokens.ts";

const ATTRIBUTES = [
  ["bold", "1"],
  ["dim", "2"],
  ["italic", "3"],
  ["underline", "4"],
  ["inverse", "7"],
  ["strike", "9"],
] as const;

export class Theme {
  readonly name: string;
  readonly definition: ThemeDefinition;
  readonly mode: ColourMode;
  readonly symbols: Symbols;
  readonly #known = new WeakMap<Style, string>();

  constructor(definition: ThemeDefinition, mode: ColourMode, symbols?: SymbolPreset) {
    this.name = definition.name;
    this.definition = definition;
    this.mode = mode;
    this.symbols = symbolsFor(definition.symbols, symbols);
  }

  /**
   * The parameters between `ESC [` and `m`, starting from plain text; "" for plain text. Attributes stay even without
   * colours, so that a heading still differs from a paragraph.
   */
  sgr(style: Style): string {
    const known = this.#known.get(style);
    if (known !== undefined) return known;
    const parameters: string[] = ATTRIBUTES.filter(([name]) => style[name] === true).map(([, code]) => code);
    if (style.color !== undefined) parameters.push(this.#colour(style.color, 0));
    if (style.background !== undefined) parameters.push(this.#colour(style.background, 10));
    const made = parameters.filter((parameter) => parameter !== "").join(";");
    this.#known.set(style, made);
    return made;
  }

  #colour(colour: Colour, offset: 0 | 10): string {
    if (this.mode === "none") return "";
    const value =
      typeof colour === "number" || isHex(colour) ? colour : (this.definition.colors[colour as Token] ?? "");
    if (value === "") return "";
    if (typeof value === "number") return indexedCode(value, offset);
    const rgb = rgbOf(value);
    if (this.mode === "256") return indexedCode(nearestIndex(rgb), offset);
    const exact = exactIndex(rgb);
    return exact === undefined ? `${38 + offset};2;${rgb.join(";")}` : indexedCode(exact, offset);
  }
}

/** The first 16 colours have their own codes, which every terminal supports. */
function indexedCode(index: number, offset: 0 | 10): string {
  if (index < 8) return String(30 + offset + index);
  if (index < 16) return String(82 + offset + index);
  return `${38 + offset};5;${index}`;
}
