// Everything done in a view is in the project after the landing, byte for byte, or is named with a reason.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { land } from "../../src/files/isolate/land.ts";
import type { LandingResult } from "../../src/files/isolate/types.ts";
import { ODD_WORK } from "./odd-files.ts";
import { CAN_ISOLATE, makeProject, NEEDS, type Project } from "./project.ts";
import { CAN_SHARE, type Mounted, mountXfs } from "./shared-blocks.ts";

const COMMITTER = ["AUTHOR", "COMMITTER"].flatMap((who) => [
  [`GIT_${who}_NAME`, "a"],
  [`GIT_${who}_EMAIL`, "a@example.com"],
]);
const IDENTITY = Object.fromEntries(COMMITTER) as Record<string, string>;

/** Every path below, as bytes, with its content; without repositories' own data. */
function entriesOf(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (path: Buffer, shown: string): void => {
    for (const name of readdirSync(path, { encoding: "buffer" })) {
      if (name.toString() === ".git") continue;
      const full = Buffer.concat([path, Buffer.from("/"), name]);
      const inner = shown === "" ? name.toString() : `${shown}/${name}`;
      const stat = lstatSync(full);
      if (stat.isSymbolicLink()) found.set(inner, `link ${readlinkSync(full)}`);
      else if (stat.isFile()) {
        const sign = createHash("sha256").update(readFileSync(full)).digest("hex");
        found.set(inner, `${(stat.mode & 0o100) === 0 ? "file" : "program"} ${sign}`);
      } else found.set(inner, stat.isDirectory() ? "folder" : "special");
      if (stat.isDirectory()) walk(full, inner);
    }
  };
  walk(Buffer.from(folder), "");
  return found;
}

for (const kind of ["overlay", "worktree", "reflink"] as const) {
  const can = CAN_ISOLATE && (kind !== "reflink" || CAN_SHARE);
  const needs = kind === "reflink" ? "(needs bwrap, nsenter, mkfs.xfs and the right to mount)" : NEEDS;
  describe.skipIf(!can)(`SA-07 G-77 nothing of the work in a view is lost: ${kind} ${needs}`, () => {
    let disk: Mounted | undefined;
    let project: Project;
    let landed: LandingResult;
    let wanted: Map<string, string>;
    let found: Map<string, string>;
    const named = new Map<string, string>();

    beforeAll(async () => {
      disk = kind === "reflink" ? mountXfs() : undefined;
      project = makeProject({ ".gitignore": "*.log\nbuild/\nout\n" }, disk?.folder);
      const { root } = project;
      const each = (part: "before" | "work"): string =>
        Object.entries(ODD_WORK)
          .map(([name, row]) => `( cd ${name} && ${row[part] ?? ":"}\n) || { echo ${name}; exit 1; }`)
          .join("\n");
      for (const name of Object.keys(ODD_WORK)) project.write(`${name}/.keep`, "");
      execFileSync("sh", ["-e", "-c", each("before")], { cwd: root, env: { ...process.env, ...IDENTITY } });
      project.git("add", "-A");
      project.git("commit", "-qm", "second");
      const view = await project.open(kind, { personalIgnores: "*.mine\n" });
      const done = await view.env.execCommand(`set -e\n${each("work")}\ncp -a . ${project.folder}/wanted`, 60_000, {
        env: IDENTITY,
      });
      expect(done).toMatchObject({ exitCode: 0 });
      const delta = await view.delta();
      for (const { path, why } of delta.leftOut) named.set(path.slice(root.length + 1), why);
      const request = { root, id: "one", store: project.store, host: { baseEnv: process.env } };
      landed = await land({ ...request, deltas: [delta], mode: "patch", signal: new AbortController().signal });
      [wanted, found] = [entriesOf(join(project.folder, "wanted")), entriesOf(root)];
    });
    afterAll(async () => {
      await project?.dispose();
      disk?.remove();
    });

    it("lands", () => expect(landed.kind === "conflict" ? landed.conflicts : landed.kind).toEqual("landed"));

    it.each(Object.entries(ODD_WORK))("%s", (name, row) => {
      const below = (map: Map<string, string>) =>
        [...map].flatMap(([path, what]) => (path.startsWith(`${name}/`) ? [[path.slice(name.length + 1), what]] : []));
      const isNothing = row.notInWorktree && kind === "worktree";
      expect(Object.fromEntries(below(named))).toEqual(isNothing ? {} : (row.named ?? {}));
      const isNamed = (path: string): boolean =>
        Object.keys(row.named ?? {}).some((one) => path === one || path.startsWith(`${one}/`));
      const comparable = (map: Map<string, string>) =>
        below(map).filter(
          ([path, what]) => !isNamed(path!) && what !== "folder" && !(kind === "worktree" && /\.log$|^out/.test(path!)),
        );
      expect(comparable(found)).toEqual(comparable(wanted));
    });

    it("leaves nothing behind", () => {
      expect(readdirSync(project.store).filter((name) => name.startsWith("landing"))).toEqual([]);
    });
  });
}
