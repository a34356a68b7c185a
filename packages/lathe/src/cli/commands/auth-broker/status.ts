// `lathe auth-broker status`: whether a broker answers, and which of its credentials need somebody.

import { isTrouble } from "../../../doors/broker/reports/credential-states.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import { countOf } from "../../../sessions/numbers.ts";
import { table } from "../../../sessions/tables/table.ts";
import type { Command } from "../command.ts";
import { verbArgs } from "../verb-args.ts";
import { rowOf } from "./list.ts";
import { type StatesHere, statesHere } from "./states-here.ts";

export const brokerStatus: Command = async (argv, machine) => {
  const { values, positionals } = verbArgs(argv, { json: { type: "boolean" } }, "auth-broker");
  if (positionals[0] !== undefined) throw usageError("lathe auth-broker status takes only --json.");
  const known = await statesHere(machine);
  const trouble = known.credentials.filter(isTrouble);
  const isFine = known.isRunning && known.problem === undefined;
  const { stdout } = machine;
  if (values.json) {
    const { url, isRunning, problem, credentials } = known;
    stdout.write(`${JSON.stringify({ url, running: isRunning, problem, credentials }, null, 2)}\n`);
  } else {
    const good = known.credentials.length - trouble.length;
    stdout.write(`${runningText(known)}\n${countOf(good, "credential")} in order.\n`);
    if (trouble.length > 0) stdout.write(table(trouble.map(rowOf)));
  }
  return isFine ? EXIT.done : EXIT.provider;
};

function runningText({ url, isRunning, problem }: StatesHere): string {
  if (!isRunning) return "No broker runs here. Start one: lathe auth-broker serve";
  return problem === undefined ? `A broker answers at ${url}.` : `A broker runs at ${url}, but ${problem}.`;
}
