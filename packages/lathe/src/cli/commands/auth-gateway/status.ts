// `lathe auth-gateway status`: whether a gateway answers, and what it has.

import { signInCommand } from "../../../config/credentials/source.ts";
import { GatewayModels } from "../../../doors/gateway/models/gateway-models.ts";
import { Run } from "../../../hosts/run.ts";
import { homePaths } from "../../../platform/home/paths.ts";
import { readIfReadable } from "../../../platform/home/small-file.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { httpUrl } from "../../../platform/options/values.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import type { Command } from "../command.ts";
import { verbArgs } from "../verb-args.ts";
import { keysOf } from "./key.ts";
import { DEFAULT_BIND } from "./serve.ts";

const ANSWER_WITHIN_MS = 3_000;

export const gatewayStatus: Command = async (argv, machine) => {
  const options = { url: { type: "string" }, json: { type: "boolean" } } as const;
  const { values, positionals } = verbArgs(argv, options, "auth-gateway");
  if (positionals[0] !== undefined) throw usageError("lathe auth-gateway status takes only --url and --json.");
  const paths = homePaths(machine.env, machine.userHome);
  const last = readIfReadable(paths.gatewayAddress)?.trim();
  const url = new URL(httpUrl("url", values.url ?? (last || `http://${DEFAULT_BIND}`))).origin;
  const problem = await problemOf(machine, url);
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
      `${problem === undefined ? `A gateway answers at ${url}.` : `No gateway answers at ${url}. Start one: lathe auth-gateway serve`}\n` +
        `${active === 1 ? "1 client key" : `${active} client keys`} in use. See: lathe auth-gateway key list\n` +
        `Providers with a credential: ${providers.join(", ") || `none. Run: ${signInCommand(workspace.accounts().place)} <provider>`}\n`,
    );
  return problem === undefined ? EXIT.done : EXIT.provider;
};

/** Undefined when one answers. */
async function problemOf({ deps }: Machine, url: string): Promise<string | undefined> {
  const ending = new AbortController();
  const timer = deps.setTimer(() => ending.abort(), ANSWER_WITHIN_MS);
  try {
    const { status, body } = await deps.fetch({
      url: `${url}/healthz`,
      method: "GET",
      headers: {},
      signal: ending.signal,
    });
    for await (const _chunk of body); // read whole, so that the connection can be closed
    return status === 200 ? undefined : `it answers with status ${status}`;
  } catch (error) {
    return ending.signal.aborted ? "it does not answer" : (error as Error).message.replace(/\.$/, "");
  } finally {
    timer.cancel();
  }
}
