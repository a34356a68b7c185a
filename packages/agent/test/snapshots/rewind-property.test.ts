// Random changes by random actors, then a rewind to every point. The expected result is computed from plain records of
// the whole tree before and after each turn, without any of the code under test.

import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { RewindRefused } from "../../src/files/snapshots/rewind.ts";
import type { ScriptedCall } from "../support/scripted-client.ts";
import { World } from "./world.ts";

const LIMIT = 200;
const names = fc.constantFrom("a", "b", "c.txt", "d e", "é", "x.log", "ignored");
const path = fc.array(names, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const content = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constant("x".repeat(LIMIT + 1)),
  fc.constant("\0\u00ff binary"),
);

type Change =
  | { readonly do: "write"; readonly path: string; readonly content: string }
  | { readonly do: "remove" | "folder"; readonly path: string }
  | { readonly do: "link" | "move"; readonly path: string; readonly to: string }
  | { readonly do: "mode"; readonly path: string; readonly mode: number }
  | { readonly do: "reset" | "clean" };

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("write" as const), path, content }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("remove" as const, "folder" as const), path }) },
  fc.record({ do: fc.constantFrom("link" as const, "move" as const), path, to: path }),
  fc.record({ do: fc.constant("mode" as const), path, mode: fc.constantFrom(0o600, 0o644, 0o755) }),
  fc.record({ do: fc.constantFrom("reset" as const, "clean" as const) }),
);

const turn = fc.record({
  actor: fc.constantFrom("shell", "host tool", "edit tool"),
  changes: fc.array(change, { minLength: 1, maxLength: 4 }),
  /** What a user does in between. */
  person: fc.oneof(
    { weight: 2, arbitrary: fc.constant<Change[]>([]) },
    { weight: 1, arbitrary: fc.array(change, { maxLength: 2 }) },
  ),
});

/** Impossible changes (such as a file in place of a folder) are skipped. */
function make(root: string, one: Change): void {
  const at = (below: string): string => join(root, below);
  try {
    if (one.do === "reset" || one.do === "clean") return;
    if (one.do === "write" || one.do === "folder") mkdirSync(dirname(at(one.path)), { recursive: true });
    if (one.do === "link" || one.do === "move") mkdirSync(dirname(at(one.to)), { recursive: true });
    if (one.do === "write") writeFileSync(at(one.path), one.content);
    if (one.do === "remove") rmSync(at(one.path), { recursive: true });
    if (one.do === "folder") mkdirSync(at(one.path));
    if (one.do === "link") symlinkSync(one.path, at(one.to));
    if (one.do === "move") renameSync(at(one.path), at(one.to));
    if (one.do === "mode" && !lstatSync(at(one.path)).isDirectory()) chmodSync(at(one.path), one.mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function command(one: Change): string {
  switch (one.do) {
    case "reset":
      return "git reset -q --hard";
    case "clean":
      return "git clean -fdq";
    case "write": {
      const octal = [...Buffer.from(one.content)].map((byte) => `\\0${byte.toString(8)}`).join("");
      return `mkdir -p ${quoted(dirname(one.path))} && printf '%b' ${quoted(octal)} > ${quoted(one.path)}`;
    }
    case "remove":
      return `rm -rf ${quoted(one.path)}`;
    case "folder":
      return `mkdir -p ${quoted(one.path)}`;
    case "link":
      return `mkdir -p ${quoted(dirname(one.to))} && ln -s ${quoted(one.path)} ${quoted(one.to)}`;
    case "move":
      return `mkdir -p ${quoted(dirname(one.to))} && mv -T ${quoted(one.path)} ${quoted(one.to)}`;
    case "mode":
      return `test -f ${quoted(one.path)} && chmod ${one.mode.toString(8)} ${quoted(one.path)}`;
  }
}

function callsOf(world: World, { actor, changes }: { actor: string; changes: readonly Change[] }): ScriptedCall[] {
  if (actor === "shell") return [world.shell(changes.map((one) => `{ ${command(one)}; } 2>/dev/null`).join("\n"))];
  if (actor === "host tool")
    return [
      world.act(() => {
        for (const one of changes) make(world.root, one);
      }),
    ];
  return changes.flatMap((one) => (one.do === "write" ? [world.writeCall(one.path, one.content)] : []));
}

type Tree = ReadonlyMap<string, string>;
const isIgnored = (below: string): boolean =>
  below.split("/").some((part) => part === "ignored" || part.endsWith(".log"));
const isLarge = (what: string | undefined): boolean =>
  what?.startsWith("file") === true && Buffer.from(what.split(" ")[2] ?? "", "base64").length > LIMIT;

function changed(before: Tree, after: Tree): Set<string> {
  return new Set([...before.keys(), ...after.keys()].filter((below) => before.get(below) !== after.get(below)));
}

/** `starts[i]`, `ends[i]`: the tree before and after turn i. */
function expectedAt(point: number, starts: readonly Tree[], ends: readonly Tree[], now: Tree): Map<string, string> {
  const ours = new Set<string>();
  const theirs = new Set<string>();
  for (let i = point; i < starts.length; i++) {
    for (const below of changed(starts[i]!, ends[i]!)) ours.add(below);
    for (const below of changed(ends[i]!, starts[i + 1] ?? now)) theirs.add(below);
  }
  const result = new Map(now);
  const kept = new Set(now.keys());
  for (const below of ours) {
    const target = starts[point]!.get(below);
    if (theirs.has(below) || isIgnored(below) || isLarge(target) || isLarge(now.get(below))) continue;
    kept.delete(below);
    if (target === undefined) result.delete(below);
    else result.set(below, target);
  }
  return possible(result, now, kept);
}

/** Files that stay need their folders; files below another file cannot be created. */
function possible(result: Map<string, string>, now: Tree, kept: ReadonlySet<string>): Map<string, string> {
  for (const below of kept) {
    if (now.get(below)?.startsWith("folder")) continue;
    for (let up = dirname(below); up !== "."; up = dirname(up))
      result.set(up, result.get(up)?.startsWith("folder") ? result.get(up)! : now.get(up)!);
  }
  for (const below of [...result.keys()].sort()) {
    const up = dirname(below);
    if (up === ".") continue;
    if (result.has(up) && !result.get(up)!.startsWith("folder")) result.delete(below);
  }
  return result;
}

/** Folders may differ if they contain only uncovered files or were recreated for a file. */
const comparable = (tree: Tree): [string, string][] =>
  [...tree]
    .filter(([below, what]) => !isIgnored(below) && !what.startsWith("folder"))
    .sort(([a], [b]) => (a < b ? -1 : 1));
const folders = (tree: Tree): string[] =>
  [...tree].flatMap(([below, what]) => (what.startsWith("folder") && !isIgnored(below) ? [below] : [])).sort();

/** A turn may have changed nothing. */
const unlessRefused = (error: unknown): void => {
  if (!(error instanceof RewindRefused)) throw error;
};

it("3.18 rewinding to each point gives the tree that was recorded there, whoever changed what", {
  timeout: 600_000,
}, async () => {
  const runs = process.env["LATHE_LONG"] ? 200 : 2;
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 5 }), fc.nat(), async (turns, choice) => {
      const world = new World({ limits: { maxFileBytes: LIMIT } });
      try {
        for (const below of ["a", "b/c.txt", "d e/a"]) world.write(below, `tracked ${below}\n`);
        world.commit();
        world.write("c.txt", "untracked\n");
        const points = [await world.turn([])];
        const starts: Tree[] = [];
        const ends: Tree[] = [];
        for (const one of turns) {
          starts.push(world.record());
          points.push(await world.turn(callsOf(world, one)));
          await world.snapshots.settle();
          ends.push(world.record());
          for (const change of one.person) make(world.root, change);
        }
        const noPersons = turns.every(({ person }) => person.length === 0);
        for (let left = points.length; left > 0; left--) {
          const point = (choice + left) % points.length;
          const now = world.record();
          const target = point < starts.length ? starts[point]! : now;
          if (point === turns.length) continue;
          await world.rewind(points[point]!, { parts: "files" }).catch(unlessRefused);
          const result = world.record();
          const expected = expectedAt(point, starts, ends, now);
          expect(comparable(result), `point ${point}`).toEqual(comparable(expected));
          const isPlain = noPersons && ![...target, ...now].some(([below, what]) => isIgnored(below) || isLarge(what));
          if (isPlain) expect(folders(result)).toEqual(folders(target));
          await world.rewinder.takeBack().catch(unlessRefused);
          expect(comparable(world.record()), `point ${point} taken back`).toEqual(comparable(now));
        }
      } finally {
        await world.end();
      }
    }),
    { numRuns: runs },
  );
});
