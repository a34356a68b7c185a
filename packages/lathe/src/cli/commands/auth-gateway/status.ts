// `lathe auth-gateway status`: whether a gateway answers, and which keys and providers it has.

import { signInCommand } from "../../../config/credentials/source.ts";
import { GatewayModels } from "../../../doors/gateway/models/gateway-models.ts";
import { Run } from "../../../hosts/run.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import type { Command } from "../command.ts";
import { verbArgs } from "../verb-args.ts";
import { keysOf } from "./key.ts";
import { gatewayUrl, isGatewayRunning, problemAt } from "./running.ts";

export const gatewayStatus: Command = async (argv, machine) => {
  const options = { url: { type: "string" }, json: { type: "boolean" } } as const;
  const { values, positionals } = verbArgs(argv, options, "auth-gateway");
  if (positionals[0] !== undefined) throw usageError("lathe auth-gateway status takes only --url and --json.");
  const url = gatewayUrl(machine, values.url);
  const problem = await problemAt(machine, url);
  const keys = keysOf(machine);
  const active = keys.list().filter((key) => keys.stateOf(key) === "active").length;
  const workspace = await new Run(machine).open({});
  const offered = new GatewayModels(workspace, await workspace.models()).list(undefined);
  const providers = [...new Set(offered.map(({ provider }) => provider))];
  const { stdout } = machine;
  if (values.json)
    stdout.write(
      `${JSON.stringify({ url, running: problem === undefined, problem, keys: active, providers }, null, 2)}\n`,
    );
  else
    stdout.write(
      `${problem === undefined ? `A gateway answers at ${url}.` : noAnswer(machine, url, problem)}\n` +
        `${active === 1 ? "1 client key" : `${active} client keys`} in use. See: lathe auth-gateway key list\n` +
        `Providers with a credential: ${providers.join(", ") || `none. Run: ${signInCommand(workspace.accounts().place)} <provider>`}\n`,
    );
  return problem === undefined ? EXIT.done : EXIT.provider;
};

/** A gateway that listens on every address, or has a self-signed certificate, cannot be asked this way. */
const noAnswer = (machine: Machine, url: string, problem: string): string =>
  isGatewayRunning(machine)
    ? `A gateway is running, but does not answer at ${url}: ${problem}. Use --url to give the address that clients use.`
    : `No gateway answers at ${url}. Start one: lathe auth-gateway serve`;
