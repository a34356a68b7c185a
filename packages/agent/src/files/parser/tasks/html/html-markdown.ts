// The task that turns a page of the web into Markdown.

import type { TaskInput } from "../types.ts";
import { readHtml } from "./html-tokens.ts";
import { MarkdownWriter } from "./markdown-writer.ts";

export interface HtmlInput extends TaskInput {
  readonly html: string;
}

export function htmlMarkdown(input: TaskInput): string {
  const writer = new MarkdownWriter();
  readHtml((input as HtmlInput).html, writer);
  return writer.markdown();
}
