// `lathe trust [folder]`, `lathe trust --list`, `lathe trust --remove [folder]`.

import { resolve } from "node:path";
import { EXIT, usageError } from "../cli/exit.ts";
import { homePaths } from "../home/paths.ts";
import { trustedFolders, trustFolder, untrustFolder } from "../trust/trust.ts";
import type { Command } from "./command.ts";

export const trustCommand: Command = async (argv, machine) => {
  const file = homePaths(machine.env, machine.userHome).trust;
  const [first = "."] = argv;
  if (first === "--list") {
    for (const folder of trustedFolders(file)) machine.stdout.write(`${folder}\n`);
    return EXIT.done;
  }
  const remove = first === "--remove";
  if (!remove && first.startsWith("-"))
    throw usageError(`lathe trust takes a folder, --list or --remove, not ${first}.`);
  const folder = resolve(machine.cwd, (remove ? argv[1] : first) ?? ".");
  try {
    if (remove) {
      const found = await untrustFolder(file, folder);
      machine.stdout.write(found ? `No longer trusted: ${folder}\n` : `Was not trusted: ${folder}\n`);
    } else {
      machine.stdout.write(`Trusted: ${await trustFolder(file, folder, new Date(machine.deps.now()))}\n`);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw usageError(`${folder} does not exist.`);
    throw error;
  }
  return EXIT.done;
};
