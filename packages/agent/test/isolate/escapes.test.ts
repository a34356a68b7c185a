// Attempts to reach the project from inside a view: its files, index, refs and stash stay byte for byte the same.

import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { View } from "../../src/files/isolate/types.ts";
import { COMMANDS } from "./escapes.ts";
import { CAN_ISOLATE, makeProject, NEEDS, type Project, pictureOf } from "./project.ts";
import { CAN_SHARE, type Mounted, mountXfs } from "./shared-blocks.ts";

const isLong = process.env["LATHE_LONG"] !== undefined;
const KINDS = [
  ["overlay", "overlay", false],
  ["overlay in the sandbox", "overlay", true],
  ["worktree", "worktree", false],
  ["reflink on xfs", "reflink", false],
] as const;
const canOpen = (kind: string): boolean => CAN_ISOLATE && (kind !== "reflink" || CAN_SHARE);
const needs = (kind: string): string =>
  kind === "reflink" ? "(needs bwrap, nsenter, mkfs.xfs and the right to mount)" : NEEDS;

for (const [name, kind, isSandboxed] of KINDS)
  describe.skipIf(!canOpen(kind))(`SA-07 G-77 nothing gets out of a view: ${name} ${needs(kind)}`, () => {
    let disk: Mounted | undefined;
    let project: Project;
    let view: View;
    let outside: string;
    let before: Map<string, string>;

    beforeAll(async () => {
      disk = kind === "reflink" ? mountXfs() : undefined;
      project = makeProject({ "a.txt": "one\n", "d/b.txt": "two\n", "twin-a.txt": "t\n" }, disk?.folder ?? "/var/lib");
      outside = join(project.folder, "outside");
      mkdirSync(outside);
      linkSync(join(project.root, "twin-a.txt"), join(project.root, "twin-b.txt"));
      linkSync(join(project.root, "a.txt"), join(outside, "old-hard"));
      symlinkSync("a.txt", join(project.root, "link"));
      project.write("a.txt", "stashed\n");
      project.git("stash");
      project.write("d/b.txt", "dirty\n");
      project.write("staged.txt", "staged\n");
      project.git("add", "staged.txt");
      const sandbox = { home: project.folder };
      view = await project.open(kind, isSandboxed ? { sandbox } : {});
      before = pictureOf(project.root);
    });
    afterAll(async () => {
      await project.dispose();
      disk?.remove();
    });

    const intact = () => expect(pictureOf(project.root)).toEqual(before);

    it(`${Object.keys(COMMANDS).length} commands`, async () => {
      const variables = { P: project.root, O: outside, S: project.store };
      // Each in its own shell. In the gate all in one call, because starting one in a view takes long; the long run
      // tells which it was.
      const each = Object.entries(COMMANDS).map(([what, command]) => [what, `( ${command}\n) </dev/null`] as const);
      const calls = isLong ? each : [["one of them", each.map(([, command]) => command).join("\n")] as const];
      for (const [what, command] of calls) {
        await view.env.execCommand(command, 120_000, { env: variables });
        expect(pictureOf(project.root), what).toEqual(before);
      }
      await view.env.cleanup();
      intact();
    });

    it("file tools", async () => {
      const { env } = view;
      const tries: (() => Promise<unknown>)[] = [
        () => env.writeFile(join(project.root, "a.txt"), "evil"),
        () => env.writeFile("../project/a.txt", "evil"),
        () => env.writeFile("link", "evil"),
        () => env.writeFile(join(project.root, ".git/HEAD"), "evil"),
        () => env.deleteFile(join(project.root, "d/b.txt")),
        () => env.moveFile(join(project.root, "a.txt"), join(outside, "moved")),
        () => env.writeFile(`/proc/${process.pid}/cwd/evil`, "evil"),
        () => env.writeFile(`/proc/${process.pid}/root${project.root}/a.txt`, "evil"),
        () => env.writeFile(join(project.store, view.id, "layers/0/lower/a.txt"), "evil"),
        () => env.execCommand(`echo evil > ${project.root}/a.txt`, 30_000, { outside: true }),
      ];
      for (const attempt of tries) {
        await attempt().catch(() => {});
        intact();
      }
    });

    if (isSandboxed)
      it("a second name that a file of the project has outside", async () => {
        await view.env.execCommand(`echo evil > ${join(outside, "old-hard")}`, 30_000);
        intact();
      });

    it("what a command preloads does not run outside", async () => {
      writeFileSync(join(outside, "not-a-library"), "x");
      const env = { LD_PRELOAD: join(outside, "not-a-library"), BASH_ENV: join(outside, "evil.sh") };
      writeFileSync(join(outside, "evil.sh"), `echo evil > ${project.root}/a.txt`);
      await view.env.execCommand("true", 30_000, { env });
      intact();
    });
  });
