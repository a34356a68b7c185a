// Files that no command changes without a question: they decide what runs later, or let others in.

import { programSteeredBy } from "./protected-files.ts";

/** In any folder: what git keeps, and the agent's own settings, without its plans. */
const OWN = /(?:^|\/)\.(?:git|lathe(?!\/plans\/[^/]+\.md$))(?:\/|$)/i;

/** What the path is, when it is protected; relative to `cwd` where that is known. */
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
  // A home that we do not know, or another user's.
  return /^(?:~\w*|\$HOME|\$\{HOME\}|\/root|\/home\/[^/]+|\/Users\/[^/]+)\/(.*)$/s.exec(path)?.[1];
}

/** Without `.`, `..` and doubled slashes, as text: the caller that opens it follows links. */
function normalise(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return (path.startsWith("/") ? "/" : "") + parts.join("/");
}
