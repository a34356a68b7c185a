// `lathe setup provider --preset <name>`, and `lathe setup coordinator`.

import { addedLines, addProviderPreset, providerPresetNames } from "../../models/provider-presets.ts";
import { homePaths } from "../../platform/home/paths.ts";
import { EXIT, usageError } from "../../platform/usage/exit.ts";
import type { Command } from "./command.ts";
import { verbArgs } from "./verb-args.ts";

export const setupCommand: Command = async ([what, ...rest], machine) => {
  if (what === "coordinator" || what === "hermes")
    return (await import("./setup-coordinator.ts")).setupCoordinator(rest, machine);
  const use = `Use: lathe setup provider --preset <name>, with one of ${providerPresetNames.join(", ")}; or: lathe setup coordinator --root <dir>`;
  if (what !== "provider") throw usageError(use);
  const { values, positionals } = verbArgs(rest, { preset: { type: "string" }, json: { type: "boolean" } }, "setup");
  if (!values.preset || positionals.length > 0) throw usageError(use);
  const added = await addProviderPreset(homePaths(machine.env, machine.userHome).models, values.preset);
  const lines = values.json === true ? [JSON.stringify(added, null, 2)] : addedLines(added);
  for (const line of lines) machine.stdout.write(`${line}\n`);
  return EXIT.done;
};
