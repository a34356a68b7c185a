// `lathe acp`: the agent for editors. `lathe acp login`: the command an editor runs in a terminal when there is no
// credential.

import { parseArgs } from "../../platform/options/parse.ts";
import { withProvider } from "../../platform/options/provider.ts";
import type { Command } from "./command.ts";

export const acpCommand: Command = async (argv, machine) => {
  const parsed = withProvider(parseArgs(argv, machine.userHome));
  const [word, ...rest] = parsed.words;
  if (word === "login") return (await import("./login.ts")).loginCommand(rest, machine);
  const { acpMode } = await import("../../doors/acp/mode.ts");
  return acpMode(machine, parsed);
};
