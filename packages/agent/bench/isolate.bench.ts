// Opening a view of a large repository over `git worktree add`, and landing eight deltas over eight runs of `git merge`.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bench, ratio } from "../../../scripts/bench-types.ts";
import { land } from "../src/files/isolate/land.ts";
import { openView } from "../src/files/isolate/open-view.ts";
import type { Delta, View } from "../src/files/isolate/types.ts";

const FILES = 20_000;
const ROUNDS = 3;

interface Place {
  readonly folder: string;
  readonly root: string;
  readonly store: string;
  git(...args: string[]): void;
}

async function inRepository<T>(work: (place: Place) => Promise<T>): Promise<T> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-bench-")));
  const root = join(folder, "tree");
  const git = (...args: string[]): void => {
    const identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "gc.auto=0"];
    execFileSync("git", [...identity, ...args], { cwd: root, stdio: ["ignore", "ignore", "pipe"] });
  };
  try {
    for (let i = 0; i < FILES; i++) {
      const part = join(root, `package${Math.floor(i / 500)}/src/part${Math.floor(i / 50)}`);
      if (i % 50 === 0) mkdirSync(part, { recursive: true });
      writeFileSync(join(part, `file${i % 50}.ts`), `export const value${i} = ${i};\n`.repeat(20));
    }
    git("init", "-q", "-b", "main");
    git("add", "-A");
    git("commit", "-qm", "all");
    // Files that were written just now are read once more by whoever looks at them.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    git("status");
    return await work({ folder, root, store: join(folder, "store"), git });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const viewOf = ({ root, store }: Place, kind: "overlay" | "worktree", id: string): Promise<View> =>
  openView({ root, store, kind, id, host: { baseEnv: process.env }, signal: new AbortController().signal });

async function timed(work: () => unknown): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

function opening(kind: "overlay" | "worktree", budget: number): Bench["run"] {
  return () =>
    inRepository(async (place) => {
      const [ours, gits]: [number[], number[]] = [[], []];
      for (let round = 0; round < ROUNDS; round++) {
        const other = join(place.folder, `worktree-${round}`);
        gits.push(await timed(() => place.git("worktree", "add", "-q", "--detach", other)));
        place.git("worktree", "remove", "--force", other);
        let view: View | undefined;
        ours.push(
          await timed(async () => {
            view = await viewOf(place, kind, `view-${round}`);
          }),
        );
        await view!.close();
      }
      const [base, value] = [Math.min(...gits), Math.min(...ours)];
      return { value: value / base, unit: "x", budget, note: `${value.toFixed(0)} ms against ${base.toFixed(0)} ms` };
    });
}

const PATH = (delta: number): string => `package${delta}/src/part${delta * 10}/file7.ts`;

async function landingOverMerge() {
  return inRepository(async (place) => {
    const deltas: Delta[] = [];
    const views: View[] = [];
    for (let number = 0; number < 8; number++) {
      const view = await viewOf(place, "overlay", `view-${number}`);
      views.push(view);
      await view.env.execCommand(`echo changed > ${PATH(number)}`, 60_000);
      deltas.push(await view.delta());
      place.git("checkout", "-q", "-b", `branch-${number}`, "main");
      writeFileSync(join(place.root, PATH(number)), "changed\n");
      place.git("commit", "-qam", "changed");
      place.git("checkout", "-q", "main");
    }
    const merged = await timed(() => {
      for (let number = 0; number < 8; number++) place.git("merge", "-q", "--no-ff", "--no-edit", `branch-${number}`);
    });
    place.git("reset", "-q", "--hard", "branch-0~1");
    const { root, store } = place;
    const request = { root, store, id: "all", host: { baseEnv: process.env }, signal: new AbortController().signal };
    let kind = "";
    const landed = await timed(async () => {
      kind = (await land({ ...request, deltas, mode: "patch" })).kind;
    });
    for (const view of views) await view.close();
    if (kind !== "landed") throw new Error(`the landing ended with ${kind}`);
    return ratio(landed, merged, { budget: 3, unit: "ms" });
  });
}

export const benches: Bench[] = [
  { name: "opening an overlay view of 20,000 files over git worktree add", run: opening("overlay", 0.3) },
  { name: "opening a worktree view of 20,000 files over git worktree add", run: opening("worktree", 1.5) },
  { name: "landing 8 views over 8 times git merge", run: landingOverMerge },
];
