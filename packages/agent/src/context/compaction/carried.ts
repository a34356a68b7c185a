// The part below every summary, made without a model: files, failures, and what tools must not forget.

import type { HiddenWork, TouchedFile } from "./history.ts";

const MOST_FILES = 20;

/** `cwd`: files below it are named relative to it. `carried`: what tools keep, such as open tasks. */
export function carriedText({ files, failures }: HiddenWork, carried: readonly string[], cwd: string): string {
  // Changed files matter more than files that were only read.
  const shown = [...files].sort((a, b) => Number(b.written) - Number(a.written)).slice(0, MOST_FILES);
  const left = files.length - shown.length;
  return [
    section("files", [
      ...shown.map((file) => `${relative(file.path, cwd)} (${how(file)})`),
      ...(left > 0 ? [`[${left} more files left out]`] : []),
    ]),
    ...carried,
    section(
      "failed-attempts",
      failures.map((line) => `- ${line}`),
    ),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

function how({ read, written }: TouchedFile): string {
  if (!written) return "Read";
  return read ? "RW" : "Write";
}

const relative = (path: string, cwd: string): string =>
  path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;

function section(name: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `<${name}>\n${lines.join("\n")}\n</${name}>`;
}
