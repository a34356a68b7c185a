// Converts a fetched page to text that a model can read.

import { type CallScope, ToolFailure } from "../../contract/tool.ts";
import { runParser } from "../parser/run-parser.ts";
import type { HtmlInput } from "../parser/tasks/html/html-markdown.ts";
import type { PageMarkdown } from "../parser/tasks/html/main-part.ts";
import type { FetchedPage } from "./fetch-page.ts";

/** HTML becomes Markdown, of the main part if that contains most of the text. */
export async function pageText(
  page: FetchedPage,
  scope: Pick<CallScope, "signal" | "services">,
): Promise<PageMarkdown> {
  if (isHtml(page)) return htmlText(decodePage(page), page.url, scope);
  if (isText(page)) return { text: decodePage(page), isMainPart: false };
  throw new ToolFailure(`${page.url} is ${page.mediaType}, not text. Download it with the shell if you need it.`);
}

/** `leftOut`: element names, and classes with a leading dot. */
export function htmlText(
  html: string,
  base: string,
  scope: Pick<CallScope, "signal" | "services">,
  leftOut?: readonly string[],
): Promise<PageMarkdown> {
  const input: HtmlInput = { html, base, leftOut };
  return runParser<PageMarkdown>("html", input, { scope, path: base });
}

export const isHtml = (page: FetchedPage): boolean =>
  page.mediaType === "text/html" ||
  page.mediaType === "application/xhtml+xml" ||
  (page.mediaType === "" && /^\s*</.test(decodePage(page)));

export const isText = ({ mediaType }: FetchedPage): boolean =>
  mediaType === "" || /^text\/|json|xml|javascript|yaml|toml/.test(mediaType);

/** The charset stated by the server takes precedence over the page's. */
export function decodePage({ body, charset }: FetchedPage): string {
  const declared = /<meta[^>]+charset\s*=\s*["']?([\w:.-]+)/i.exec(body.toString("latin1", 0, 2048))?.[1];
  try {
    return new TextDecoder(charset ?? declared ?? "utf-8").decode(body);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return new TextDecoder("utf-8").decode(body);
  }
}
