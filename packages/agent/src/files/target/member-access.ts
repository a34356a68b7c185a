// What a call declares about the members of an archive that it opens: they are judged by their names, as files would be.

import { posix } from "node:path";
import type { Access, CallScope } from "../../contract/tool.ts";
import { isCredentialFile } from "../../policy/permissions/sensitive-paths.ts";
import { splitSelector } from "./selector.ts";
import { type FileTarget, formatFile } from "./target.ts";

/** More would not change the answer. */
const MOST = 20;

const mayHoldKeys = (path: string): boolean => isCredentialFile(path, { userHome: "", latheHome: "" });

const readOf = (path: string): Access => ({ kind: "read", path });

/** The named member as a path below the archive; also without what may be a selector of lines. */
export function memberAccess(kind: "read" | "write", { located, format, inner }: FileTarget): Access[] {
  if (!format?.parts || inner === "") return [];
  const names = new Set([inner, splitSelector(inner)?.path ?? inner]);
  const paths = [...names].map((name) => posix.join(located.real, name));
  // An edit may show what is there, but it changes no file of this name.
  return paths.filter((path) => kind === "read" || mayHoldKeys(path)).map(readOf);
}

/** The same, with all files with keys in what a search reads. */
export async function searchedMembers(target: FileTarget, scope: CallScope): Promise<Access[]> {
  const { located, format, inner } = target;
  const named = memberAccess("read", target);
  if (!format?.parts || !format.list) return named;
  const members = await format.list(formatFile(located, scope));
  const below = members.filter((member) => inner === "" || member.inner.startsWith(inner));
  const paths = below.map((member) => posix.join(located.real, member.inner));
  return [...named, ...paths.filter(mayHoldKeys).slice(0, MOST).map(readOf)];
}
