// `lathe stats --by key`: the usage of the gateway's clients, by key.

import { sumsByKey } from "../../../doors/gateway/money/sums-by-key.ts";
import { homePaths } from "../../../platform/home/paths.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { EXIT, type ExitCode } from "../../../platform/usage/exit.ts";
import { printableLine } from "../../../sessions/list.ts";
import { countOf, tokens } from "../../../sessions/numbers.ts";
import { table } from "../../../sessions/tables/table.ts";
import { isGatewayRunning } from "./running.ts";

export function statsByKey(
  machine: Machine,
  { since, isJson }: { readonly since: string | undefined; readonly isJson: boolean },
): ExitCode {
  const { env, userHome, stdout, stderr } = machine;
  const { gatewayLedger: folder } = homePaths(env, userHome);
  const isRunning = isGatewayRunning(machine);
  const { keys, damaged } = sumsByKey(folder, { isRunning, ...(since === undefined ? {} : { since }) });
  const byCost = [...keys].sort((a, b) => b.usd + b.uncertain - (a.usd + a.uncertain) || b.requests - a.requests);
  if (isJson) stdout.write(`${JSON.stringify({ byKey: byCost, unread: { lines: damaged } }, null, 2)}\n`);
  else if (byCost.length === 0) stdout.write("No client has used the gateway. See: lathe auth-gateway --help\n");
  else
    stdout.write(
      table([
        ["by key", "requests", "in", "cached", "out", "cost", "at most more"],
        ...byCost.map(({ name, requests, input, cached, output, usd, uncertain }) => [
          printableLine(name),
          String(requests),
          tokens(input),
          tokens(cached),
          tokens(output),
          dollars(usd),
          uncertain === 0 ? "" : dollars(uncertain),
        ]),
      ]),
    );
  if (damaged > 0) stderr.write(`lathe: Not counted: ${countOf(damaged, "damaged line")} of the ledger.\n`);
  return EXIT.done;
}

const dollars = (usd: number): string => `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
