// The task that converts a web page to Markdown.

import type { TaskInput } from "../types.ts";
import { readHtml } from "./html-tokens.ts";
import { MainPart, type PageMarkdown } from "./main-part.ts";
import { MarkdownWriter } from "./markdown-writer.ts";

export interface HtmlInput extends TaskInput {
  readonly html: string;
  /** The page's address, which its links are relative to; if absent, links are shown as written. */
  readonly base?: string | undefined;
  /** Elements to leave out: names, and classes with a leading dot. */
  readonly leftOut?: readonly string[] | undefined;
}

export function htmlMarkdown(input: TaskInput): PageMarkdown {
  const { html, base, leftOut } = input as HtmlInput;
  const page = new MainPart(new MarkdownWriter(base, leftOut));
  readHtml(html, page);
  return page.markdown();
}
