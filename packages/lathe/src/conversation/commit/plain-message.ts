// A message made without a model: what happened to which files, in the style of the project.

import { posix } from "node:path";
import type { StagedFile } from "./change.ts";
import { nameInLine } from "./file-name.ts";
import type { MessageStyle } from "./style.ts";

const MOST_LISTED = 20;
const VERBS: Readonly<Record<string, string>> = {
  A: "Add",
  D: "Delete",
  R: "Rename",
  M: "Update",
  C: "Copy",
  T: "Change",
};

export function plainMessage(files: readonly StagedFile[], style: MessageStyle): string {
  const verb = sameOf(files.map(({ status }) => VERBS[status] ?? "Update")) ?? "Update";
  const text = `${verb} ${objectOf(files, style.longestTitle - verb.length - 12)}`;
  const title = style.isConventional
    ? `${typeOf(files)}: ${text.charAt(0).toLowerCase()}${text.slice(1)}`
    : style.startsSmall
      ? text.charAt(0).toLowerCase() + text.slice(1)
      : text;
  if (files.length < 2) return title;
  const listed = files
    .slice(0, MOST_LISTED)
    .map(({ path, from }) => `- ${from === undefined ? "" : `${nameInLine(from)} -> `}${nameInLine(path)}`);
  const more = files.length > MOST_LISTED ? [`- and ${files.length - MOST_LISTED} more`] : [];
  return `${title}\n\n${[...listed, ...more].join("\n")}`;
}

function objectOf(files: readonly StagedFile[], room: number): string {
  const [first] = files;
  if (first && files.length === 1) {
    const name = nameInLine(first.path);
    const both = first.from === undefined ? name : `${nameInLine(first.from)} to ${name}`;
    return both.length <= room ? both : nameInLine(posix.basename(first.path));
  }
  const names = files.map(({ path }) => nameInLine(posix.basename(path)));
  if (files.length <= 3 && names.join(", ").length <= room)
    return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  const folder = nameInLine(sharedFolder(files.map(({ path }) => path)));
  return `${files.length} files${folder === "" || folder.length > room ? "" : ` in ${folder}`}`;
}

function sharedFolder(paths: readonly string[]): string {
  const [first = [], ...others] = paths.map((path) => path.split("/").slice(0, -1));
  const end = first.findIndex((name, i) => others.some((other) => other[i] !== name));
  return (end < 0 ? first : first.slice(0, end)).join("/");
}

function typeOf(files: readonly StagedFile[]): string {
  const kind = ({ path }: StagedFile): string => {
    if (/(?:^|\/)(?:tests?|__tests__|spec)\/|[._](?:test|spec)\.\w+$/.test(path)) return "test";
    return /(?:^|\/)docs?\/|\.(?:md|rst|adoc|txt)$/.test(path) ? "docs" : "chore";
  };
  return sameOf(files.map(kind)) ?? "chore";
}

const sameOf = (values: readonly string[]): string | undefined =>
  values.every((value) => value === values[0]) ? values[0] : undefined;
