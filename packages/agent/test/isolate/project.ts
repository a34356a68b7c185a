// A real repository to open views of, and a snapshot of everything in it that a view must not change.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openView } from "../../src/files/isolate/open-view.ts";
import type { View, ViewRequest } from "../../src/files/isolate/types.ts";
import { has } from "../programs.ts";

export const CAN_ISOLATE = has("bwrap", "nsenter", "unshare", "git");
export const NEEDS = "(needs bwrap, nsenter, unshare, git)";

export interface Project {
  readonly folder: string;
  readonly root: string;
  readonly store: string;
  git(...args: string[]): string;
  write(path: string, text: string): void;
  read(path: string): string;
  open(kind: ViewRequest["kind"], more?: Partial<ViewRequest>): Promise<View>;
  dispose(): Promise<void>;
}

let names = 0;

/** `place`: not the system's folder for temporary files, which a sandbox hides. */
export function makeProject(
  files: Readonly<Record<string, string>> = { "a.txt": "one\ntwo\nthree\n" },
  place = tmpdir(),
): Project {
  const folder = realpathSync(mkdtempSync(join(place, "lathe-view-")));
  const [root, store] = [join(folder, "project"), join(folder, "store")];
  const views: View[] = [];
  const git = (...args: string[]): string =>
    execFileSync(
      "git",
      ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main", ...args],
      {
        cwd: root,
        stdio: ["ignore", "pipe", "pipe"],
      },
    ).toString();
  const project: Project = {
    folder,
    root,
    store,
    git,
    write: (path, text) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    read: (path) => readFileSync(join(root, path), "utf8"),
    open: async (kind, more = {}) => {
      const request = {
        root,
        kind,
        id: `view-${++names}`,
        store,
        host: { baseEnv: process.env },
        signal: new AbortController().signal,
      };
      const view = await openView({ ...request, ...more });
      views.push(view);
      return view;
    },
    dispose: async () => {
      for (const view of views) await view.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  mkdirSync(root);
  git("init", "-q");
  for (const [path, text] of Object.entries(files)) project.write(path, text);
  git("add", "-A");
  git("commit", "-q", "--allow-empty", "-m", "first");
  return project;
}

/** Every file below, with mode and content, `.git` included. */
export function pictureOf(folder: string, leaveOut: (path: string) => boolean = () => false): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (path: string): void => {
    for (const name of readdirSync(join(folder, path)).sort()) {
      const inner = path === "" ? name : `${path}/${name}`;
      if (leaveOut(inner)) continue;
      const full = join(folder, inner);
      const stat = lstatSync(full);
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isSymbolicLink()) found.set(inner, `link ${readlinkSync(full)}`);
      else if (stat.isDirectory()) {
        found.set(inner, `folder ${mode}`);
        walk(inner);
      } else found.set(inner, `${mode} ${createHash("sha256").update(readFileSync(full)).digest("hex")}`);
    }
  };
  walk("");
  return found;
}
