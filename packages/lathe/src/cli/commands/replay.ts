// `lathe replay <dir>`: repeats a recorded run offline, and says whether the result is the same.

import { resolve } from "node:path";
import { replayRecording } from "../../hosts/record/replaying.ts";
import { EXIT, usageError } from "../../platform/usage/exit.ts";
import type { Command } from "./command.ts";

export const replayCommand: Command = async (argv, machine) => {
  const [dir, ...more] = argv;
  if (dir === undefined || dir.startsWith("-") || more.length > 0) {
    throw usageError(
      "lathe replay takes the folder of a recording: lathe replay <dir>. Make one with: lathe --record <dir>",
    );
  }
  const { text, lines, sha256, divergence } = await replayRecording(machine, resolve(machine.cwd, dir));
  if (text !== "") machine.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
  if (divergence === undefined) {
    machine.stderr.write(`lathe: The journal is identical: ${lines} lines, sha256 ${sha256}.\n`);
    return EXIT.done;
  }
  machine.stderr.write(`lathe: The journal is not identical: ${divergence}.\n`);
  return EXIT.failed;
};
