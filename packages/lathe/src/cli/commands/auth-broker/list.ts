// `lathe auth-broker list`: the credentials of the vault on this machine, each with its state.

import { type CredentialState, stateText } from "../../../doors/broker/reports/credential-states.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import { printableLine } from "../../../sessions/list.ts";
import { table } from "../../../sessions/tables/table.ts";
import type { Command } from "../command.ts";
import { verbArgs } from "../verb-args.ts";
import { localBrokerStates } from "./local-states.ts";

export const brokerList: Command = async (argv, machine) => {
  const { values, positionals } = verbArgs(argv, { json: { type: "boolean" } }, "auth-broker");
  if (positionals[0] !== undefined) throw usageError("lathe auth-broker list takes only --json.");
  const { credentials } = await localBrokerStates(machine);
  const { stdout } = machine;
  if (values.json) stdout.write(`${JSON.stringify(credentials, null, 2)}\n`);
  else if (credentials.length === 0) stdout.write("The vault is empty. Run: lathe auth-broker login\n");
  else stdout.write(table(credentials.map(rowOf)));
  return EXIT.done;
};

/** Identities are text from the issuer. */
export const rowOf = (one: CredentialState): string[] => [
  one.provider,
  one.name,
  one.type === "api_key" ? "key" : `signed in${one.identity === undefined ? "" : ` as ${printableLine(one.identity)}`}`,
  printableLine(stateText(one)),
];
