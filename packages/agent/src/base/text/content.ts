import type { ContentPart } from "@lathe/llm";

/** The text of the content, without images and other parts. */
export function textOfContent(content: string | readonly ContentPart[]): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}
