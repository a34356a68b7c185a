// A fetched page as text a model can read.

import { type CallScope, ToolFailure } from "../../contract/tool.ts";
import { runParser } from "../parser/run-parser.ts";
import type { HtmlInput } from "../parser/tasks/html/html-markdown.ts";
import type { FetchedPage } from "./fetch-page.ts";

export async function pageText(page: FetchedPage, scope: Pick<CallScope, "signal" | "services">): Promise<string> {
  if (isHtml(page)) {
    const input: HtmlInput = { html: decodePage(page) };
    return runParser<string>("html", input, { scope, path: page.url });
  }
  if (isText(page)) return decodePage(page);
  throw new ToolFailure(`${page.url} is ${page.mediaType}, not text. Download it with the shell if you need it.`);
}

export const isHtml = (page: FetchedPage): boolean =>
  page.mediaType === "text/html" ||
  page.mediaType === "application/xhtml+xml" ||
  (page.mediaType === "" && /^\s*</.test(decodePage(page)));

export const isText = ({ mediaType }: FetchedPage): boolean =>
  mediaType === "" || /^text\/|json|xml|javascript|yaml|toml/.test(mediaType);

/** What the server says takes precedence over what the page says. */
export function decodePage({ body, charset }: FetchedPage): string {
  const declared = /<meta[^>]+charset\s*=\s*["']?([\w:.-]+)/i.exec(body.toString("latin1", 0, 2048))?.[1];
  try {
    return new TextDecoder(charset ?? declared ?? "utf-8").decode(body);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return new TextDecoder("utf-8").decode(body);
  }
}
