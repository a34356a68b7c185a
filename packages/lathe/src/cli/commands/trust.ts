// `lathe trust [folder]`, `lathe trust --list`, `lathe trust --remove [folder]`.

import { realpathSync } from "node:fs";
import { relative, resolve } from "node:path";
import { holdsStrangers, trustedAbove, trustedFolders, trustFolder, untrustFolder } from "../../config/trust/trust.ts";
import { Discovery } from "../../found/discovery/discovery.ts";
import { placeOf } from "../../found/discovery/place.ts";
import { Reader } from "../../found/discovery/reader.ts";
import { codeFilesOf, RUNS_CODE } from "../../found/discovery/trusted-items.ts";
import { homePaths } from "../../platform/home/paths.ts";
import { isDirectory } from "../../platform/home/small-file.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { EXIT, usageError } from "../../platform/usage/exit.ts";
import type { Command } from "./command.ts";

export const trustCommand: Command = async (argv, machine) => {
  const file = homePaths(machine.env, machine.userHome).trust;
  const flags = argv.filter((word) => word.startsWith("-"));
  const [named = ".", ...more] = argv.filter((word) => !word.startsWith("-"));
  const wrong = flags.find((flag) => flag !== "--list" && flag !== "--remove") ?? more[0];
  if (wrong !== undefined || flags.length > 1)
    throw usageError(`lathe trust takes a folder, --list or --remove, not ${wrong ?? flags.join(" ")}.`);
  if (flags[0] === "--list") {
    for (const folder of trustedFolders(file)) machine.stdout.write(`${folder}\n`);
    return EXIT.done;
  }
  const folder = resolve(machine.cwd, named);
  if (flags[0] === "--remove") {
    const found = await untrustFolder(file, folder);
    const above = trustedAbove(file, folder, machine.userHome);
    const still = above === undefined ? "" : `; still trusted through ${above}`;
    machine.stdout.write(`${found ? "No longer trusted" : "Was not trusted"}: ${folder}${still}\n`);
    return EXIT.done;
  }
  if (!isDirectory(folder)) throw usageError(`${folder} is not a directory. Name the folder to trust.`);
  const code = await codeFilesIn(realpathSync.native(folder), machine);
  const { path, files } = await trustFolder(file, folder, new Date(machine.deps.now()), code);
  const alone = holdsStrangers(path, machine.userHome) ? " (only this folder, not those below it)" : "";
  const effect =
    files.length === 0
      ? "It brings no settings, models, .env, hooks, servers or extensions now"
      : `Takes effect: ${files.join(", ")}`;
  machine.stdout.write(
    `Trusted: ${path}${alone}\n${effect}. A file that changes or is added is ignored until you trust again.\n`,
  );
  return EXIT.done;
};

/** What would run code: the files of hooks, servers, tools and extensions in this folder, also of those that are switched off. */
async function codeFilesIn(folder: string, machine: Machine): Promise<readonly string[]> {
  const place = placeOf({ cwd: folder, machine, paths: homePaths(machine.env, machine.userHome) });
  const discovery = new Discovery({ place });
  const found = await Promise.all(RUNS_CODE.map((kind) => discovery.of(kind)));
  const reader = new Reader();
  const files = found
    .flatMap(({ all }) => all)
    .filter(({ source }) => source.level === "project")
    .flatMap((item) => codeFilesOf(item, reader))
    .filter((path) => path.startsWith(`${folder}/`));
  return [...new Set(files)].map((path) => relative(folder, path));
}
