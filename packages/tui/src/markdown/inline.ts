// Inline markdown (bold, code, links …) as styled spans.

import { Lexer, type Token } from "marked";
import type { Span, Style } from "../rows/row.ts";
import { visible } from "../rows/visible.ts";

export interface InlineOptions {
  /** Whether links can be clicked, so that addresses need not be written out. */
  readonly links: boolean;
  /** Addresses of `[text][name]`, by the name that `referenceName` returns. */
  readonly references?: ReadonlyMap<string, string> | undefined;
}

export const referenceName = (text: string): string => text.toLowerCase().replace(/\s+/g, " ");

/** A text without any of these contains no markup. */
const MAYBE_MARKED = /[\\`*_~[<&]|https?:|ftp:|www\.|@/;
const SAFE_LINK = /^(?:https?|mailto|file):/i;
const BREAK = /^<br\s*\/?>$/i;
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,8}));/gi;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  copy: "©",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  rarr: "→",
  larr: "←",
  times: "×",
  middot: "·",
  bull: "•",
};

const STRONG: Style = { bold: true };
const EMPHASIS: Style = { italic: true };
const DELETED: Style = { strike: true };
const CODE: Style = { color: "mdCode" };
const LINK: Style = { color: "mdLink", underline: true };
const ADDRESS: Style = { color: "mdLinkUrl" };

/** `base` is the style of the block; line breaks are kept. `visible` must have been applied to the text. */
export function inlineSpans(text: string, base: Style | undefined, options: InlineOptions): Span[] {
  if (!MAYBE_MARKED.test(text)) return [span(text, base)];
  const spans: Span[] = [];
  collect(tokensOf(text, options.references), base, options, spans);
  return spans;
}

function tokensOf(text: string, references: InlineOptions["references"]): readonly Token[] {
  const lexer = new Lexer();
  for (const [name, href] of references ?? []) lexer.tokens.links[name] = { href, title: null };
  return lexer.inlineTokens(text);
}

function collect(tokens: readonly Token[], style: Style | undefined, options: InlineOptions, spans: Span[]): void {
  for (const token of tokens) {
    switch (token.type) {
      case "strong":
        collect(token.tokens ?? [], mergeStyles(style, STRONG), options, spans);
        break;
      case "em":
        collect(token.tokens ?? [], mergeStyles(style, EMPHASIS), options, spans);
        break;
      case "del":
        collect(token.tokens ?? [], mergeStyles(style, DELETED), options, spans);
        break;
      case "codespan":
        spans.push(span(token.text, mergeStyles(style, CODE)));
        break;
      case "link":
        link(token.href, token.tokens ?? [], style, options, spans);
        break;
      case "image":
        spans.push(span(visible(token.text === "" ? token.href : token.text), mergeStyles(style, EMPHASIS)));
        break;
      case "br":
        spans.push(span("\n", style));
        break;
      case "escape":
        spans.push(span(token.text, style));
        break;
      case "text":
        if ("tokens" in token && token.tokens !== undefined) collect(token.tokens, style, options, spans);
        // Not `token.text`, which contains real control characters for numeric entities.
        else spans.push(span(decodeEntities(token.raw), style));
        break;
      default:
        spans.push(span(BREAK.test(token.raw) ? "\n" : token.raw, style));
    }
  }
}

function link(
  href: string,
  tokens: readonly Token[],
  style: Style | undefined,
  options: InlineOptions,
  spans: Span[],
): void {
  const start = spans.length;
  const isSafe = SAFE_LINK.test(href);
  const look = mergeStyles(style, LINK);
  collect(tokens, isSafe && options.links ? { ...look, link: href } : look, options, spans);
  const text = spans
    .slice(start)
    .map((one) => one.text)
    .join("");
  const isShown = text === href || `mailto:${text}` === href || `http://${text}` === href;
  if (!isShown && !(isSafe && options.links)) spans.push(span(` (${href})`, mergeStyles(style, ADDRESS)));
}

const span = (text: string, style: Style | undefined): Span => (style === undefined ? { text } : { text, style });

/** Decodes entities, except those of harmful characters. */
function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(ENTITY, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    const isPlain = (code >= 0x20 && code < 0x7f) || (code > 0xa0 && code < 0xad) || (code > 0xad && code < 0x300);
    return isPlain ? String.fromCodePoint(code) : whole;
  });
}

/** The same two styles always give the same object, since the theme caches by object. */
const combined = new WeakMap<Style, WeakMap<Style, Style>>();

export function mergeStyles(outer: Style | undefined, inner: Style): Style {
  if (outer === undefined) return inner;
  const known = combined.get(outer) ?? new WeakMap<Style, Style>();
  combined.set(outer, known);
  const style = known.get(inner) ?? { ...outer, ...inner };
  known.set(inner, style);
  return style;
}
