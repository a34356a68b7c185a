// Which format a name and a media type indicate, for bytes that are not a file.

import { posix } from "node:path";
import type { Format } from "./format.ts";

const EXTENSIONS: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "application/epub+zip": "epub",
  "application/rtf": "rtf",
  "text/rtf": "rtf",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
};

/** Only for formats that are read as a whole; undefined otherwise. */
export function formatOfName(path: string, mediaType: string, formats: readonly Format[]): Format | undefined {
  const extension = EXTENSIONS[mediaType];
  const binary = extension !== undefined || mediaType === "" || mediaType === "application/octet-stream";
  if (!binary) return undefined;
  const name = extension === undefined ? posix.basename(path) : `page.${extension}`;
  return formats.find((format) => format.separators.length === 0 && format.claims(name));
}
