// The content of one directory of an archive, as lines.

import { visibleLine } from "../../../base/text/visible.ts";
import { byName, type Member } from "../../parser/tasks/archive/members.ts";

const MOST_LINES = 500;

/** Undefined if the archive has no such directory. `directory`: "" for the archive itself. */
export function listing(members: readonly Member[], directory: string): string | undefined {
  const children = childrenOf(members, directory);
  if (directory !== "" && children.size === 0 && byName(members).get(directory)?.member.kind !== "directory")
    return undefined;
  const lines = [...children].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, child]) => line(name, child));
  const notes: string[] = [];
  if (lines.length > MOST_LINES)
    notes.push(`[${lines.length - MOST_LINES} more are not listed; search or find inside the archive]`);
  const outside = members.filter((member) => member.name === undefined && member.kind !== "directory").length;
  if (directory === "" && outside > 0) {
    notes.push(
      `[${outside} more ${outside === 1 ? "has a name that leads" : "have names that lead"} out of the archive and cannot be read]`,
    );
  }
  if (lines.length === 0) return [directory === "" ? "(empty archive)" : "(empty directory)", ...notes].join("\n");
  return [...lines.slice(0, MOST_LINES), ...notes].join("\n");
}

interface Child {
  files: number;
  size: number;
  copies: number;
  member?: Member;
}

function childrenOf(members: readonly Member[], directory: string): Map<string, Child> {
  const children = new Map<string, Child>();
  const prefix = directory === "" ? "" : `${directory}/`;
  for (const member of members) {
    if (!member.name?.startsWith(prefix) || member.name === directory) continue;
    const [name = ""] = member.name.slice(prefix.length).split("/", 1);
    const child = children.get(name) ?? { files: 0, size: 0, copies: 0 };
    children.set(name, child);
    const isItself = member.name.length === prefix.length + name.length;
    if (isItself) {
      child.member = member;
      child.copies += 1;
    } else if (member.kind !== "directory") child.files += 1;
    if (member.kind === "file") child.size = isItself ? member.size : child.size + member.size;
  }
  return children;
}

function line(name: string, { files, size, copies, member }: Child): string {
  const shown = visibleLine(name);
  if (!member || member.kind === "directory")
    return `${shown}/  ${files} ${files === 1 ? "file" : "files"}, ${bytesText(size)}`;
  const what =
    member.kind === "link"
      ? member.linkTarget === undefined
        ? "link"
        : `link to ${visibleLine(member.linkTarget)}`
      : member.kind === "other"
        ? "special file"
        : bytesText(size);
  return `${shown}  ${what}${copies > 1 ? `, ${copies} times; the last one is read` : ""}`;
}

function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const unit = bytes < 1 << 20 ? "KB" : "MB";
  return `${(bytes / (unit === "KB" ? 1024 : 1 << 20)).toFixed(1)} ${unit}`;
}
