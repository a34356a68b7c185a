// `lathe auth-broker token`: the token that clients of the broker send.

import { OwnToken } from "../../../doors/http/own-token.ts";
import { homePaths } from "../../../platform/home/paths.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import type { Command } from "../command.ts";
import { verbArgs } from "../verb-args.ts";

export const brokerTokenOf = ({ env, userHome }: Machine): OwnToken =>
  new OwnToken(homePaths(env, userHome).brokerToken);

export const brokerToken: Command = async (argv, machine) => {
  const options = { regenerate: { type: "boolean" }, json: { type: "boolean" } } as const;
  const { values, positionals } = verbArgs(argv, options, "auth-broker");
  if (positionals[0] !== undefined) throw usageError("lathe auth-broker token takes only --regenerate and --json.");
  const own = brokerTokenOf(machine);
  const token = values.regenerate ? await own.regenerate() : await own.token();
  machine.stdout.write(values.json ? `${JSON.stringify({ token, file: own.file })}\n` : `${token}\n`);
  return EXIT.done;
};
