// `lathe trust [folder]`, `lathe trust --list`, `lathe trust --remove [folder]`.

import { realpathSync } from "node:fs";
import { relative, resolve } from "node:path";
import { isHomeOrAbove, trustedAbove, trustedFolders, trustFolder, untrustFolder } from "../../config/trust/trust.ts";
import { openWorkspace } from "../../config/workspace/workspace.ts";
import { Discovery, discoveryFor } from "../../found/discovery/discovery.ts";
import { placeOf } from "../../found/discovery/place.ts";
import { Reader } from "../../found/discovery/reader.ts";
import { codeFilesOf, NEED_TRUST } from "../../found/discovery/trusted-items.ts";
import type { Found, McpServerValue } from "../../found/discovery/types.ts";
import { homePaths } from "../../platform/home/paths.ts";
import { isDirectory } from "../../platform/home/small-file.ts";
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
  const workspace = await openWorkspace({ ...machine, cwd: realpathSync.native(folder) }, {});
  const code = await codeFilesIn(workspace.cwd, new Discovery({ place: placeOf(workspace) }));
  const { path, files } = await trustFolder(file, folder, new Date(machine.deps.now()), [...code]);
  const working = await codeFilesIn(workspace.cwd, discoveryFor(workspace), isAtWork);
  const idle = files.filter((name) => code.has(name) && !working.has(name));
  const alone = isHomeOrAbove(path, machine.userHome) ? " (only this folder, not those below it)" : "";
  const effect =
    files.length === 0
      ? "It has no settings, models, .env, hooks, servers or extensions yet"
      : [
          ...(idle.length < files.length
            ? [`Takes effect: ${files.filter((name) => !idle.includes(name)).join(", ")}`]
            : []),
          ...(idle.length > 0 ? [`Trusted, but without effect (see lathe discover): ${idle.join(", ")}`] : []),
        ].join(". ");
  machine.stdout.write(
    `Trusted: ${path}${alone}\n${effect}. Files that you add or change later are ignored until you run lathe trust again.\n`,
  );
  return EXIT.done;
};

/**
 * The files that run code: those of hooks, servers, tools and extensions in this folder, relative to it, including
 * disabled ones.
 */
async function codeFilesIn(
  folder: string,
  discovery: Discovery,
  isMeant: (item: Found) => boolean = () => true,
): Promise<ReadonlySet<string>> {
  const found = await Promise.all(NEED_TRUST.map((kind) => discovery.of(kind)));
  const reader = new Reader();
  const isBelow = (path: string): boolean => path.startsWith(`${folder}/`);
  // An item of this folder may start files above it.
  const files = found
    .flatMap(({ all }): readonly Found[] => all)
    .filter((item) => item.source.level === "project" && isMeant(item))
    .flatMap((item) =>
      codeFilesOf(item, discovery.place, reader).filter((path) => isBelow(item.source.path) || isBelow(path)),
    );
  return new Set(files.map((path) => relative(folder, path)));
}

/** Whether the item is neither shadowed by another of the same name nor disabled. */
const isAtWork = ({ ignored, shadowedBy, value }: Found): boolean =>
  ignored === undefined && shadowedBy === undefined && (value as Partial<McpServerValue>).enabled !== false;
