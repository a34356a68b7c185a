// Converts the result of a server's tool for the model and hosts.

import type { ToolContent, ToolResult } from "@lathe/agent";
import type { JsonValue } from "@lathe/llm";
import type { CallToolResult, ContentBlock, ReadResourceResult } from "@modelcontextprotocol/client";

export function toolResult({ content, structuredContent, isError = false }: CallToolResult): ToolResult {
  const parts = content.map(contentOf);
  // Servers usually send this as text too; without that, the result would be empty.
  if (parts.length === 0 && structuredContent !== undefined)
    parts.push(text(JSON.stringify(structuredContent, null, 2)));
  if (parts.length === 0) parts.push(text(isError ? "The tool failed and says nothing about it." : "(no output)"));
  return {
    content: parts,
    isError,
    effects: isError ? "unknown" : "done",
    ...(structuredContent === undefined ? {} : { details: { structured: structuredContent as JsonValue } }),
  };
}

function contentOf(block: ContentBlock): ToolContent {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return image(block.data, block.mimeType);
    case "audio":
      return text(`[audio, ${block.mimeType}, ${Buffer.byteLength(block.data, "base64")} bytes]`);
    case "resource":
      return resourceContent(block.resource);
    case "resource_link":
      return text(`[resource ${block.name}: ${block.uri}${block.description ? `, ${block.description}` : ""}]`);
  }
}

function resourceContent(resource: ReadResourceResult["contents"][number]): ToolContent {
  if ("text" in resource) return text(resource.text);
  const { mimeType = "application/octet-stream", blob, uri } = resource;
  if (mimeType.startsWith("image/")) return image(blob, mimeType);
  return text(`[resource ${uri}, ${mimeType}, ${Buffer.byteLength(blob, "base64")} bytes]`);
}

const text = (value: string): ToolContent => ({ kind: "text", text: value.toWellFormed() });

/** Formats that models accept; others are only described. */
const IMAGES = /^image\/(png|jpeg|gif|webp)$/;

function image(data: string, mediaType: string): ToolContent {
  if (!IMAGES.test(mediaType)) return text(`[image, ${mediaType}, ${Buffer.byteLength(data, "base64")} bytes]`);
  return { kind: "image", image: { data: Buffer.from(data, "base64"), mediaType } };
}
