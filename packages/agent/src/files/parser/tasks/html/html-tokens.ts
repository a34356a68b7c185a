// Parses HTML from front to back and reports each part to a handler. It uses the tokenizer of htmlparser2 without its
// parser: the parser searches and shifts the list of open elements for every tag, so deep nesting costs quadratic time.

import { Tokenizer } from "htmlparser2";
import { VOID } from "./elements.ts";

export interface HtmlHandler {
  /** Gets only the attributes that affect the text. */
  open(name: string, attributes: ReadonlyMap<string, string>): void;
  close(name: string): void;
  /** Entities are decoded. */
  text(text: string): void;
}

/** Others are skipped, so that a tag with a million attributes costs no memory. */
const ATTRIBUTES_KEPT = new Set("href src alt start class role".split(" "));

export function readHtml(html: string, handler: HtmlHandler): void {
  let text = "";
  let tag: { readonly name: string; readonly attributes: Map<string, string> } | undefined;
  let attribute = "";
  let value = "";
  const slice = (start: number, end: number): string => html.slice(start, end);
  const flush = (): void => {
    if (text !== "") handler.text(text);
    text = "";
  };
  const close = (name: string): void => {
    flush();
    handler.close(name);
  };
  const openTag = (): void => {
    if (!tag) return;
    flush();
    handler.open(tag.name, tag.attributes);
    if (VOID.has(tag.name)) handler.close(tag.name);
    tag = undefined;
  };
  const ignore = (): void => {};
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      ontext: (start, end) => {
        text += slice(start, end);
      },
      ontextentity: (code) => {
        text += String.fromCodePoint(code);
      },
      onopentagname: (start, end) => {
        tag = { name: slice(start, end).toLowerCase(), attributes: new Map() };
      },
      onattribname: (start, end) => {
        attribute = slice(start, end).toLowerCase();
        value = "";
      },
      onattribdata: (start, end) => {
        if (ATTRIBUTES_KEPT.has(attribute)) value += slice(start, end);
      },
      onattribentity: (code) => {
        value += String.fromCodePoint(code);
      },
      onattribend: () => {
        if (ATTRIBUTES_KEPT.has(attribute) && !tag?.attributes.has(attribute)) tag?.attributes.set(attribute, value);
      },
      onopentagend: openTag,
      onselfclosingtag: openTag,
      onclosetag: (start, end) => close(slice(start, end).toLowerCase()),
      oncomment: ignore,
      oncdata: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: flush,
      isInForeignContext: () => false,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
}
