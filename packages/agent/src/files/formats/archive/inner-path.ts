// Parses the part after the colon of an archive's path, for reading and for writing.

import { ToolFailure } from "../../../contract/tool.ts";

/** The path inside the archive without `.` parts; a directory may end in a slash. */
export function readName(inner: string, path: string): string {
  const parts = inner.split("/");
  if (parts.includes(".."))
    throw new ToolFailure(
      `Archive path cannot contain '..': ${path}:${inner}. Name a member as the listing of ${path} does.`,
    );
  if (inner.startsWith("/"))
    throw new ToolFailure(
      `Archive path cannot be absolute: ${path}:${inner}. Name a member as the listing of ${path} does.`,
    );
  return parts.filter((part) => part !== "" && part !== ".").join("/");
}

/** The canonical name of a member to write. */
export function writtenName(inner: string, path: string): string {
  const refuse = (why: string) => new ToolFailure(`${why}: ${path}:${inner}. Nothing was written.`);
  const parts = inner.split("/");
  if (parts.includes("..")) throw refuse("Archive path cannot contain '..'");
  if (inner.startsWith("/")) throw refuse("Archive path cannot be absolute");
  if (/[\0-\x1f\x7f]/.test(inner)) throw refuse("Archive path cannot contain control characters");
  const kept = parts.filter((part) => part !== "" && part !== ".");
  if (kept.length === 0) throw refuse("Archive write path must target a file inside the archive");
  if (parts.at(-1) === "" || parts.at(-1) === ".")
    throw refuse("Archive write path must target a file, not a directory");
  return kept.join("/");
}
