// A home and a project on disk, and discovery in them.

import { realpathSync } from "node:fs";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Discovery, type DiscoveryOptions } from "../../src/found/discovery/discovery.ts";
import { placeOf } from "../../src/found/discovery/place.ts";
import { homePaths } from "../../src/platform/home/paths.ts";
import type { Machine } from "../../src/platform/machine/machine.ts";

export interface TwoFolders {
  readonly home: string;
  readonly project: string;
}

/** Replaces `{{home}}` and `{{project}}` in the files by the folders. */
export async function twoFolders(
  inHome: Readonly<Record<string, string>> = {},
  inProject: Readonly<Record<string, string>> = { ".git/HEAD": "ref: refs/heads/main\n" },
): Promise<TwoFolders> {
  const root = realpathSync(await mkdtemp(join(tmpdir(), "lathe-discovery-")));
  const folders = { home: join(root, "home"), project: join(root, "project") };
  await writeFiles(folders.home, inHome, folders);
  await writeFiles(folders.project, inProject, folders);
  return folders;
}

export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
  { home, project }: TwoFolders,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text.replaceAll("{{home}}", home).replaceAll("{{project}}", project));
  }
}

export function discoveryIn(
  { home, project }: TwoFolders,
  {
    cwd = project,
    env = {},
    ...options
  }: Omit<DiscoveryOptions, "place"> & { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): Discovery {
  const machine = { env, userHome: home } as unknown as Machine;
  return new Discovery({ place: placeOf({ cwd, machine, paths: homePaths(env, home) }), ...options });
}
