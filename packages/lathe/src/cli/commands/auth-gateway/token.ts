// `lathe auth-gateway token`: the operator's own token. Clients get keys instead.

import { OwnToken } from "../../../doors/http/own-token.ts";
import { homePaths } from "../../../platform/home/paths.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import type { Command } from "../command.ts";
import { verbArgs } from "../verb-args.ts";

export const ownTokenOf = ({ env, userHome }: Machine): OwnToken => new OwnToken(homePaths(env, userHome).gatewayToken);

export const gatewayToken: Command = async (argv, machine) => {
  const options = { regenerate: { type: "boolean" }, json: { type: "boolean" } } as const;
  const { values, positionals } = verbArgs(argv, options, "auth-gateway");
  if (positionals[0] !== undefined) throw usageError("lathe auth-gateway token takes only --regenerate and --json.");
  const own = ownTokenOf(machine);
  const token = values.regenerate ? await own.regenerate() : await own.token();
  machine.stdout.write(values.json ? `${JSON.stringify({ token, file: own.file })}\n` : `${token}\n`);
  return EXIT.done;
};
