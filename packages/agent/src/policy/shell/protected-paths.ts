// Files that no command may change without approval: they decide what runs later, or give others access.

import { programSteeredBy } from "./protected-files.ts";

/** In any folder: git's data, and the agent's own settings except its plans. */
const OWN = /(?:^|\/)\.(?:git|lathe(?!\/plans\/[^/]+\.md$))(?:\/|$)/i;

/** What kind of protected path it is, if any; relative to `cwd` if that is known. */
export function protectedPath(path: string, cwd: string | undefined, home: string | undefined): string | undefined {
  const absolute = normalise(path.startsWith("/") || cwd === undefined ? path : `${cwd}/${path}`);
  const inHome = belowHome(absolute, home);
  const isWide = inHome === undefined ? /^\/(?:etc|var|boot|proc)\//.test(absolute) : /^(?:\.|library\/)/i.test(inHome);
  if (!isWide && !OWN.test(absolute)) return undefined;
  const program = programSteeredBy(inHome === undefined ? absolute : `~/${inHome}`);
  return program && `what ${program} reads`;
}

function belowHome(path: string, home: string | undefined): string | undefined {
  if (home !== undefined && path.startsWith(`${home}/`)) return path.slice(home.length + 1);
  // An unknown home directory, or another user's.
  return /^(?:~\w*|\$HOME|\$\{HOME\}|\/root|\/home\/[^/]+|\/Users\/[^/]+)\/(.*)$/s.exec(path)?.[1];
}

/** Removes `.`, `..` and double slashes from the text; the caller that opens the path follows links. */
function normalise(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return (path.startsWith("/") ? "/" : "") + parts.join("/");
}
