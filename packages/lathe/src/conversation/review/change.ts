// The change under review: its files, how much of each changed, and the diff. Untracked files belong to the uncommitted
// changes.

import { join } from "node:path";
import { INERT_DIFF } from "@lathe/agent/world";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { CliError, EXIT, usageError } from "../../platform/usage/exit.ts";
import { filtersOffLine } from "../filters-off.ts";
import { type HoldsKeys, keyFiles, notShownLine } from "../key-files.ts";
import { type Git, type GitPlace, NOT_COMPARED, withGit } from "./git.ts";
import { branchChanges, type Range, rangeOf, uncommittedRange } from "./range.ts";
import type { Change, ChangedFile } from "./types.ts";

/** The limit for the whole diff; reviewers get only the names of files beyond it and read them. */
const MOST_DIFF = 8 * 1024 * 1024;
/** The limit for one untracked file. */
const MOST_TEXT = 512 * 1024;

/** A change without files if there is nothing to review. Throws a one-line error if the range cannot be resolved. */
export async function changeOf(
  workspace: GitPlace & Pick<Workspace, "cwd">,
  wanted: string | undefined,
): Promise<Change> {
  const top = await withGit(workspace, workspace.cwd, (git) => git.text(["rev-parse", "--show-toplevel"]));
  if (top === undefined || top === "")
    throw usageError(`${workspace.cwd} is not in a git repository, so there is no change to review. Start in one.`);
  const holdsKeys = keyFiles(workspace);
  return withGit(workspace, top, async (git) => {
    const changeOver = (range: Range): Promise<Change> => changeIn(git, top, range, holdsKeys);
    if (wanted !== undefined) return changeOver(await rangeOf(git, wanted));
    const open = await changeOver(await uncommittedRange(git));
    if (open.files.length > 0) return open;
    const ahead = await branchChanges(git);
    return ahead ? changeOver(ahead) : open;
  });
}

async function changeIn(git: Git, top: string, range: Range, holdsKeys: HoldsKeys): Promise<Change> {
  const ends = [range.base, ...(range.end === undefined ? [] : [range.end]), "--"];
  const { stdout: rows, exitCode } = await git.ask(["diff", ...INERT_DIFF, "-M", "--numstat", "-z", ...ends]);
  const plain = [...INERT_DIFF, "--no-color", "-M", "--src-prefix=a/", "--dst-prefix=b/"];
  const { stdout, isCut, exitCode: endOfDiff } = await git.ask(["diff", ...plain, ...ends], MOST_DIFF);
  // An incomplete answer would look like a smaller change.
  if (exitCode !== 0 || endOfDiff !== 0) throw new CliError(EXIT.failed, NOT_COMPARED);
  const sections = sectionsOf(stdout.toString("utf8"), isCut);
  const tracked = countsOf(rows.toString("utf8")).map(({ from, ...file }) => {
    const isKept = [from, file.path].some((path) => path !== undefined && holdsKeys(join(top, path)));
    return isKept ? { ...file, holdsKeys: true as const } : { ...file, diff: sections.get(file.path) };
  });
  const files = range.end === undefined ? [...tracked, ...(await untrackedFiles(git, top, holdsKeys))] : tracked;
  const filters = range.end === undefined && tracked.length > 0 ? filtersOffLine(await git.filtersOff()) : undefined;
  const sorted = files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const kept = notShownLine(sorted.flatMap((file) => (file.holdsKeys ? [file.path] : [])));
  const note = [kept, filters].filter((line) => line !== undefined).join(" ");
  return { ...range, top, files: sorted, ...(note === "" ? {} : { note }) };
}

/** `from`: the old path of a renamed file. */
type CountedFile = ChangedFile & { readonly from?: string | undefined };

/** Parses `added TAB removed TAB path NUL`; a renamed file has an empty path, followed by both names. */
function countsOf(rows: string): CountedFile[] {
  const fields = rows.split("\0");
  const files: CountedFile[] = [];
  for (let i = 0; i + 1 < fields.length; i++) {
    const [added = "", removed = "", name = ""] = (fields[i] ?? "").split("\t");
    const path = name === "" ? (fields[i + 2] ?? "") : name;
    const from = name === "" ? fields[i + 1] : undefined;
    if (name === "") i += 2;
    files.push({ path, from, ...(added === "-" ? {} : { added: Number(added), removed: Number(removed) }) });
  }
  return files;
}

function sectionsOf(diff: string, isCut: boolean): Map<string, string> {
  const sections = diff.split(/^(?=diff --git )/m).filter((section) => section.startsWith("diff --git "));
  // A truncated diff would look complete.
  if (isCut) sections.pop();
  return new Map(sections.map((section) => [pathOf(section), section]));
}

function pathOf(section: string): string {
  const head = section.split(/^@@/m, 1)[0] ?? "";
  const [, now] = /^\+\+\+ b\/(.*?)\t?$/m.exec(head) ?? /^rename to (.*)$/m.exec(head) ?? [];
  const [, before] = /^--- a\/(.*?)\t?$/m.exec(head) ?? [];
  const [, same] = /^diff --git a\/(.*) b\/\1$/m.exec(head) ?? [];
  return now ?? before ?? same ?? "";
}

async function untrackedFiles(git: Git, top: string, holdsKeys: HoldsKeys): Promise<ChangedFile[]> {
  const { stdout } = await git.ask(["ls-files", "--others", "--exclude-standard", "-z"]);
  const paths = stdout.toString("utf8").split("\0");
  const files: ChangedFile[] = [];
  for (const path of paths.filter((one) => one !== "" && !one.endsWith("/"))) {
    const file = await untrackedFile(git, top, path);
    if (!file) continue;
    const { diff, ...counts } = file;
    files.push(holdsKeys(join(top, path)) ? { ...counts, holdsKeys: true } : file);
  }
  return files;
}

async function untrackedFile({ disk }: Git, top: string, path: string): Promise<ChangedFile | undefined> {
  const found = await disk.find(join(top, path));
  if (!found?.isFile || found.isLink) return undefined;
  if (found.size > MOST_TEXT) return { path };
  const bytes = await disk.read(join(top, path));
  if (bytes.includes(0)) return { path };
  const lines = bytes.toString("utf8").split("\n");
  const missesEnd = lines.at(-1) !== "";
  if (!missesEnd) lines.pop();
  const head = `diff --git a/${path} b/${path}\nnew file\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n`;
  const body = lines.map((line) => `+${line}\n`).join("");
  const end = missesEnd ? "\\ No newline at end of file\n" : "";
  return { path, added: lines.length, removed: 0, diff: lines.length === 0 ? undefined : head + body + end };
}
