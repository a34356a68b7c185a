// Twelve files, and a patch that changes, adds, moves and deletes.

const numbers = Array.from({ length: 6 }, (_, number) => number);
const changed = numbers.map((number) => `changed${number}.txt`);
const line = (path: string): string => `${path} before`;

export const TWELVE_FILES = {
  before: Object.fromEntries(
    [...changed, "moved0.txt", "moved1.txt", "gone0.txt", "gone1.txt"].map((path) => [path, `${line(path)}\n`]),
  ),
  after: Object.fromEntries([
    ...changed.map((path) => [path, `${path} after\n`]),
    ...["moved0.txt", "moved1.txt"].map((path) => [`deep/er/${path}`, `${path} after\n`]),
    ...["new/a/added0.txt", "added1.txt"].map((path) => [path, "added\n"]),
  ]) as Record<string, string>,
  patch: [
    "*** Begin Patch",
    ...changed.flatMap((path) => [`*** Update File: ${path}`, "@@", `-${line(path)}`, `+${path} after`]),
    ...["moved0.txt", "moved1.txt"].flatMap((path) => [
      ...[`*** Update File: ${path}`, `*** Move to: deep/er/${path}`, "@@", `-${line(path)}`, `+${path} after`],
    ]),
    ...["new/a/added0.txt", "added1.txt"].flatMap((path) => [`*** Add File: ${path}`, "+added"]),
    ...["gone0.txt", "gone1.txt"].map((path) => `*** Delete File: ${path}`),
    "*** End Patch",
  ].join("\n"),
};
