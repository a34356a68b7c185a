// `lathe auth-broker status`: whether the broker answers that this machine uses, or else the one here, and which
// credentials need the user's attention.

import { type BrokerPlace, hasBroker } from "../../../config/credentials/broker/place.ts";
import { askStatus } from "../../../doors/broker/reports/ask-status.ts";
import { isTrouble } from "../../../doors/broker/reports/credential-states.ts";
import { Run } from "../../../hosts/run.ts";
import { configuredBroker } from "../../../models/broker-source.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import { countOf } from "../../../sessions/numbers.ts";
import { table } from "../../../sessions/tables/table.ts";
import type { Command } from "../command.ts";
import { verbArgs } from "../verb-args.ts";
import { rowOf } from "./list.ts";
import { localBrokerStates, type StatesHere } from "./local-states.ts";

export const brokerStatus: Command = async (argv, machine) => {
  const { values, positionals } = verbArgs(argv, { json: { type: "boolean" } }, "auth-broker");
  if (positionals[0] !== undefined) throw usageError("lathe auth-broker status takes only --json.");
  const workspace = await new Run(machine).open({});
  const known = hasBroker(workspace)
    ? await remoteBrokerStates(machine, await configuredBroker(workspace))
    : await localBrokerStates(machine);
  const trouble = known.credentials.filter(isTrouble);
  const isFine = known.isRunning && known.problem === undefined;
  const { stdout } = machine;
  if (values.json) {
    const { url, isRunning, problem, credentials } = known;
    stdout.write(`${JSON.stringify({ url, running: isRunning, problem, credentials }, null, 2)}\n`);
  } else {
    const good = known.credentials.length - trouble.length;
    const empty = known.problem === undefined ? ["No credentials yet. Run: lathe auth-broker login"] : [];
    const count = known.credentials.length === 0 ? empty : [`${countOf(good, "credential")} OK.`];
    for (const line of [runningText(known), ...count]) stdout.write(`${line}\n`);
    if (trouble.length > 0) stdout.write(table(trouble.map(rowOf)));
  }
  return isFine ? EXIT.done : EXIT.provider;
};

/** Asks the broker that this machine is a client of. */
async function remoteBrokerStates(machine: Machine, { url, token }: BrokerPlace): Promise<StatesHere> {
  const asked = await askStatus(machine, url, token);
  if (typeof asked === "object") return { url, isRunning: true, problem: undefined, credentials: asked };
  return { url, isRunning: false, problem: asked, credentials: [] };
}

function runningText({ url, isRunning, problem }: StatesHere): string {
  if (!isRunning && problem !== undefined) return `The broker at ${url} cannot be queried: ${problem}.`;
  if (!isRunning) return "No broker is running here. Start one: lathe auth-broker serve";
  return problem === undefined ? `A broker answers at ${url}.` : `A broker runs at ${url}, but ${problem}.`;
}
