// A fetched page as text a model can read.

import { ToolFailure } from "../../contract/tool.ts";
import type { FetchedPage } from "./fetch-page.ts";
import { type ConversionLimits, htmlToMarkdown } from "./in-worker.ts";

export async function pageText(page: FetchedPage, limits: ConversionLimits): Promise<string> {
  const text = decode(page);
  if (
    page.mediaType === "text/html" ||
    page.mediaType === "application/xhtml+xml" ||
    (page.mediaType === "" && /^\s*</.test(text))
  ) {
    return htmlToMarkdown(text, limits);
  }
  if (page.mediaType === "" || /^text\/|json|xml|javascript|yaml|toml/.test(page.mediaType)) return text;
  throw new ToolFailure(`${page.url} is ${page.mediaType}, not text. Download it with the shell if you need it.`);
}

/** What the server says takes precedence over what the page says. */
function decode({ body, charset }: FetchedPage): string {
  const declared = /<meta[^>]+charset\s*=\s*["']?([\w:.-]+)/i.exec(body.toString("latin1", 0, 2048))?.[1];
  try {
    return new TextDecoder(charset ?? declared ?? "utf-8").decode(body);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return new TextDecoder("utf-8").decode(body);
  }
}
