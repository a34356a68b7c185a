// The change to commit, as git has it staged: its files, and the parts that can go into different commits. A modified
// text file has a part for each hunk; a new, deleted, renamed, binary or linked file is one part.

import type { CommitGit } from "./git.ts";

/** The index entry of a path. */
export interface Entry {
  readonly mode: string;
  readonly oid: string;
}

/** Line numbers from 1; a length of 0 means the position after that line. */
export interface HunkLines {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
}

export interface Part {
  /** Counts from 1 over the whole change. */
  readonly number: number;
  /** Absent: the part is the whole file. */
  readonly lines?: HunkLines;
  /** Lines of the diff with their `+`, `-` or space, each hunk with its header. */
  readonly text: string;
}

export interface StagedFile {
  readonly path: string;
  /** The old path of a renamed or copied file. */
  readonly from?: string;
  /** The letter in git's raw output: A, D, M, R, C, T. */
  readonly status: string;
  /** Undefined: the file does not exist on that side. */
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
  readonly isBinary: boolean;
  readonly added: number;
  readonly removed: number;
  readonly parts: readonly Part[];
}

export interface StagedChange {
  readonly files: readonly StagedFile[];
  /** The tree after all commits. */
  readonly tree: string;
}

const DIFF = [
  "-c",
  "diff.suppressBlankEmpty=false",
  "diff",
  "--cached",
  "-M",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--no-relative",
  "--ignore-submodules=none",
  "--submodule=short",
];
const AS_PATCH = ["-p", "-U3", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/"];

/** The mode of regular files; only their content can mix both versions. */
const REGULAR = /^100/;
const NOTHING = "000000";

/** `index` is the staged index, which may be a copy of the repository's own. */
export async function readStagedChange(git: CommitGit, index: string): Promise<StagedChange> {
  const raw = (await git.must([...DIFF, "--raw", "-z", "--no-abbrev"], { index })).toString("utf8");
  const tree = (await git.must(["write-tree"], { index })).toString("utf8").trim();
  if (raw === "") return { files: [], tree };
  const patch = (await git.must([...DIFF, ...AS_PATCH], { index })).toString("utf8");
  const sections = patch.split(/^(?=diff --git )/m).filter((section) => section.startsWith("diff --git "));
  let number = 0;
  const files = rawEntries(raw).map((entry): StagedFile => {
    // Git shows a file that became a link, or the reverse, as a deletion and a creation.
    const section = sections.shift() ?? "";
    const whole = entry.status === "T" ? section + (sections.shift() ?? "") : section;
    const hunks = hunksIn(whole);
    const isBinary = /^(?:Binary files .* differ|GIT binary patch)$/m.test(headOf(whole));
    const isDivisible = isModifiedText(entry) && hunks.length > 1;
    const parts: Part[] = isDivisible
      ? hunks.map(({ lines, text }) => ({ number: ++number, lines, text }))
      : [{ number: ++number, text: hunks.map(({ text }) => text).join("") }];
    const count = (sign: "+" | "-"): number =>
      hunks.reduce((all, { text }) => all + text.split("\n").filter((line) => line.startsWith(sign)).length, 0);
    return { ...entry, isBinary, added: count("+"), removed: count("-"), parts };
  });
  return { files, tree };
}

type RawEntry = Pick<StagedFile, "path" | "from" | "status" | "before" | "after">;

const isModifiedText = ({ status, before, after }: RawEntry): boolean =>
  status === "M" && before?.mode === after?.mode && REGULAR.test(after?.mode ?? "");

/** `:mode mode oid oid status NUL path NUL`, with a second path for a renamed or copied file. */
function rawEntries(raw: string): RawEntry[] {
  const fields = raw.split("\0");
  const entries: RawEntry[] = [];
  for (let i = 0; i + 1 < fields.length; ) {
    const [oldMode = "", newMode = "", oldOid = "", newOid = "", score = ""] = (fields[i++] ?? "").slice(1).split(" ");
    const status = score.slice(0, 1);
    const first = fields[i++] ?? "";
    const second = status === "R" || status === "C" ? fields[i++] : undefined;
    const entry = (mode: string, oid: string): Entry | undefined => (mode === NOTHING ? undefined : { mode, oid });
    entries.push({
      path: second ?? first,
      ...(second === undefined ? {} : { from: first }),
      status,
      before: entry(oldMode, oldOid),
      after: entry(newMode, newOid),
    });
  }
  return entries;
}

const headOf = (section: string): string => section.split(/^@@/m, 1)[0] ?? "";

function hunksIn(section: string): { readonly lines: HunkLines; readonly text: string }[] {
  // Content lines begin with `+`, `-` or a space, so only headers begin with @@.
  return section.split(/^(?=@@ -|diff --git )/m).flatMap((text) => {
    const [, oldStart, oldLines = "1", newStart, newLines = "1"] =
      /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text) ?? [];
    if (oldStart === undefined) return [];
    const lines = {
      oldStart: Number(oldStart),
      oldLines: Number(oldLines),
      newStart: Number(newStart),
      newLines: Number(newLines),
    };
    return [{ lines, text }];
  });
}

export const partsOf = (files: readonly StagedFile[]): Part[] => files.flatMap(({ parts }) => parts);
