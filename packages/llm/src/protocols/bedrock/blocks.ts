// Bedrock Converse shapes of content blocks.

import { InvalidRequestError } from "../../types/errors.ts";
import type { JsonObject } from "../../types/json.ts";
import type { DocumentData, ImageData } from "../../types/message.ts";
import { own } from "../../types/own.ts";
import type { BlockDialect } from "../anthropic/blocks.ts";
import { callInput, isBlank, resultText } from "../anthropic/blocks.ts";
import { mediaSource } from "../anthropic/media.ts";
import { safeToolId } from "../anthropic/tool-ids.ts";
import { unsupportedContent } from "../common/media.ts";

const documentFormats: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "text/csv": "csv",
  "text/html": "html",
  "text/markdown": "md",
  "text/plain": "txt",
  "application/msword": "doc",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
};

export function bedrockDialect(provider: string): BlockDialect {
  const bytes = (data: ImageData | DocumentData, fallback: string) => {
    const source = mediaSource(data, fallback);
    if (source.kind === "inline") return source;
    throw unsupportedContent(provider, `${provider} accepts only bytes, not URLs`);
  };
  const image = (data: ImageData): JsonObject => {
    const { mediaType, base64 } = bytes(data, "image/png");
    return { image: { format: mediaType.replace(/^image\//, ""), source: { bytes: base64 } } };
  };
  return {
    text: (text) => ({ text }),
    image,
    document: (data) => {
      const { mediaType, base64 } = bytes(data, "application/pdf");
      const format = own(documentFormats, mediaType);
      if (format === undefined)
        throw unsupportedContent(provider, `${provider} does not accept ${mediaType} documents`);
      return { document: { format, name: documentName(data.fileName), source: { bytes: base64 } } };
    },
    toolCall: (call) => ({ toolUse: { toolUseId: safeToolId(call.id), name: call.name, input: callInput(call) } }),
    toolResult: (result) => {
      const text = resultText(result);
      const images = (result.images ?? []).map(image);
      // Text that is only whitespace is refused, and so is a result without content.
      const said = isBlank(text) && images.length > 0 ? [] : [{ text: isBlank(text) ? "(no output)" : text }];
      return {
        toolResult: {
          toolUseId: safeToolId(result.toolCallId),
          content: [...said, ...images],
          ...(result.isError ? { status: "error" } : {}),
        },
      };
    },
    thinking: ({ thinking }) => {
      if (thinking.signature === undefined) return undefined;
      return {
        reasoningContent: thinking.redacted
          ? { redactedContent: thinking.signature }
          : { reasoningText: { text: thinking.text, signature: thinking.signature } },
      };
    },
  };
}

/** Keeps only letters, digits, single spaces, hyphens, parentheses and brackets. */
function documentName(fileName: string | undefined): string {
  const name = (fileName ?? "document")
    .replace(/[^a-zA-Z0-9\s\-()[\]]/g, "-")
    .replace(/\s+/g, " ")
    .slice(0, 200);
  if (name.trim() === "") throw new InvalidRequestError("a document needs a file name", { provider: "bedrock" });
  return name;
}
