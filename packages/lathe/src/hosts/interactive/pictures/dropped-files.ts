// Recognizes paths as terminals paste them when files are dropped: quoted, with escaped spaces, or as file URLs;
// possibly several.

import { fileURLToPath } from "node:url";

/** Undefined if the text is anything but paths. */
export function droppedPaths(text: string): readonly string[] | undefined {
  const words = text.trim().match(/'[^'\n]*'|"[^"\n]*"|(?:\\.|[^\s'"\\])+/g) ?? [];
  // There is something between the words that is neither a word nor a space.
  if (words.join("").length !== text.replace(/(\\.|'[^'\n]*'|"[^"\n]*")|\s+/g, "$1").length) return undefined;
  const paths = words.map(pathOf);
  return paths.length > 0 && paths.every((path) => path !== undefined) ? (paths as string[]) : undefined;
}

function pathOf(word: string): string | undefined {
  const bare = /^'.*'$|^".*"$/.test(word) ? word.slice(1, -1) : word.replace(/\\(.)/g, "$1");
  if (bare.startsWith("file://")) return pathOfAddress(bare);
  return bare.startsWith("/") || bare.startsWith("~/") || bare.startsWith("./") || bare.startsWith("../")
    ? bare
    : undefined;
}

function pathOfAddress(address: string): string | undefined {
  try {
    return fileURLToPath(address);
  } catch {
    return undefined; // the file is on another machine
  }
}
