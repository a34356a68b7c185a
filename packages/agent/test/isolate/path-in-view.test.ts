// Reading a view's files from outside: what its commands have written is found, and the project only where it shows
// through.

import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { pathInView } from "../../src/files/isolate/path-in-view.ts";
import { CAN_ISOLATE, makeProject, NEEDS, type Project } from "./project.ts";

const CHANGES = [
  "echo changed > a.txt; echo new > new.txt; rm gone.txt; echo deep > d/e/new.txt; ln -s new.txt link.txt; ln -s /etc out",
  "rm -r folder; echo file > folder; rm was-file; mkdir was-file; echo in > was-file/x; ln -s loop loop",
].join("; ");

describe.skipIf(!CAN_ISOLATE)(`files of a view from outside ${NEEDS}`, () => {
  let project: Project;
  afterEach(() => project.dispose());
  /** What is read at the path, or what the path means. */
  const seen = (id: string, path: string): string | undefined => {
    const found = pathInView(project.store, id, join(project.root, path));
    if (found?.kind === "own") return `own ${readFileSync(found.place, "utf8").trim()}`;
    return found?.kind === "project" ? `project ${found.path}` : found?.kind;
  };

  it.each(["overlay", "worktree"] as const)(
    "SA-07 G-13 %s: what commands have written, removed and linked is read from the view, also when it was left",
    async (kind) => {
      project = makeProject({
        ...{ "a.txt": "one\n", "same.txt": "same\n", "gone.txt": "x\n", "d/e/old.txt": "old\n" },
        ...{ "folder/in.txt": "x\n", "was-file": "x\n" },
      });
      symlinkSync("a.txt", join(project.root, "to-a"));
      const view = await project.open(kind, { id: "run", isKept: true });
      await view.env.execCommand(CHANGES, 30_000);
      const check = (): void => {
        const shown = (path: string, text: string): string =>
          kind === "overlay" ? `project ${join(project.root, path)}` : `own ${text}`;
        const paths = ["a.txt", "new.txt", "d/e/new.txt", "link.txt", "to-a", "folder", "was-file/x"];
        expect(paths.map((path) => seen("run", path))).toEqual([
          ...["own changed", "own new", "own deep", "own new", "own changed", "own file", "own in"],
        ]);
        expect(["same.txt", "d/e/old.txt"].map((path) => seen("run", path))).toEqual([
          shown("same.txt", "same"),
          shown("d/e/old.txt", "old"),
        ]);
        const absent = ["gone.txt", "folder/in.txt", "nosuch", "new.txt/x", "loop"];
        expect(absent.map((path) => seen("run", path))).toEqual(absent.map(() => "absent"));
        // The path leads out of the view, and the caller judges what it means there.
        expect(seen("run", "out/passwd")).toBe("project /etc/passwd");
        expect(pathInView(project.store, "run", "/etc/passwd")).toEqual({ kind: "project", path: "/etc/passwd" });
      };
      check();
      await view.leave();
      check();
      for (const id of ["other", "../run", ""]) expect(seen(id, "a.txt")).toBeUndefined();
    },
  );

  it("SA-07 a folder of the view in the place of a link hides what the link led to", async () => {
    project = makeProject({ "d/x.txt": "x\n" });
    mkdirSync(join(project.root, "other"));
    symlinkSync("../d", join(project.root, "other/link"));
    const view = await project.open("overlay", { id: "run", isKept: true });
    await view.env.execCommand("rm other/link; mkdir other/link; echo y > other/link/y.txt", 30_000);
    expect(["other/link/y.txt", "other/link/x.txt"].map((path) => seen("run", path))).toEqual(["own y", "absent"]);
  });
});
