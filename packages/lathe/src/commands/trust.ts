// `lathe trust [folder]`, `lathe trust --list`, `lathe trust --remove [folder]`.

import { resolve } from "node:path";
import { homePaths } from "../home/paths.ts";
import { isDirectory } from "../home/small-file.ts";
import { holdsStrangers, trustedAbove, trustedFolders, trustFolder, untrustFolder } from "../trust/trust.ts";
import { EXIT, usageError } from "../usage/exit.ts";
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
  const { path, files } = await trustFolder(file, folder, new Date(machine.deps.now()));
  const alone = holdsStrangers(path, machine.userHome) ? " (only this folder, not those below it)" : "";
  const effect = files.length === 0 ? "It brings no settings, models or .env now" : `Takes effect: ${files.join(", ")}`;
  machine.stdout.write(
    `Trusted: ${path}${alone}\n${effect}. A file that changes or is added is ignored until you trust again.\n`,
  );
  return EXIT.done;
};
