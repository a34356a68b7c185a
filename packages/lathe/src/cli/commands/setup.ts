// `lathe setup provider --preset <name>`, and `lathe setup coordinator`.

import { addProviderPreset, providerPresetNames } from "../../models/provider-presets.ts";
import { homePaths } from "../../platform/home/paths.ts";
import { EXIT, usageError } from "../../platform/usage/exit.ts";
import type { Command } from "./command.ts";

export const setupCommand: Command = async ([what, ...rest], machine) => {
  if (what === "coordinator" || what === "hermes")
    return (await import("./setup-coordinator.ts")).setupCoordinator(rest, machine);
  const [option = "", value] = rest[0]?.startsWith("--preset=") ? ["--preset", rest[0].slice(9)] : rest;
  const extra = rest[0]?.includes("=") ? rest[1] : rest[2];
  if (what !== "provider" || option !== "--preset" || !value || extra !== undefined)
    throw usageError(
      `Use: lathe setup provider --preset <name>, with one of ${providerPresetNames.join(", ")}; or: lathe setup coordinator --root <dir>`,
    );
  const { models } = homePaths(machine.env, machine.userHome);
  for (const line of await addProviderPreset(models, value)) machine.stdout.write(`${line}\n`);
  return EXIT.done;
};
