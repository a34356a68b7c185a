// `lathe auth-gateway key add|list|revoke`: who may use the gateway, and how much they may spend.

import { type ClientKey, KeyFile } from "../../../doors/gateway/keys/key-file.ts";
import { budgetText, periodEnd } from "../../../doors/gateway/keys/terms.ts";
import { KeyAccounts } from "../../../doors/gateway/money/key-accounts.ts";
import { readAccounts } from "../../../doors/gateway/money/sums-by-key.ts";
import { homePaths } from "../../../platform/home/paths.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import { table } from "../../../sessions/tables/table.ts";
import type { Command } from "../command.ts";
import { verbArgs } from "../verb-args.ts";
import { TERM_OPTIONS, termsIn } from "./key-terms.ts";

export const gatewayKey: Command = async ([verb = "list", ...argv], machine) => {
  const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (!run)
    throw usageError(
      `Unknown command "lathe auth-gateway key ${verb}". Choose one of ${Object.keys(VERBS).join(", ")}.`,
    );
  return run(argv, machine);
};

export const keysOf = ({ env, userHome, deps }: Machine): KeyFile =>
  new KeyFile(homePaths(env, userHome).gatewayKeys, deps.now);

const VERBS: Readonly<Record<string, Command>> = {
  list: async (argv, machine) => {
    const { values } = verbArgs(argv, { json: { type: "boolean" } }, "auth-gateway");
    const keys = keysOf(machine);
    const { gatewayLedger } = homePaths(machine.env, machine.userHome);
    const accounts = readAccounts(gatewayLedger, new KeyAccounts((id) => keys.periodOf(id)));
    const rows = keys.list().map((key) => {
      const { ledger } = accounts.at(key.id, machine.deps.now());
      return { key, spent: ledger.cost, uncertain: ledger.uncertain.usd, state: keys.stateOf(key) };
    });
    const { stdout } = machine;
    if (values.json) {
      const shown = rows.map(({ key: { hash: _hash, ...key }, ...more }) => ({ ...key, ...more }));
      stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
    } else if (rows.length === 0) stdout.write("No keys. Create one: lathe auth-gateway key add <name>\n");
    else {
      const head = ["id", "name", "budget", "spent", "models", "rpm", "until", "state"];
      stdout.write(
        table([head, ...rows.map(({ key, spent, uncertain, state }) => row(key, spent + uncertain, state))]),
      );
    }
    return EXIT.done;
  },

  add: async (argv, machine) => {
    const { values, positionals } = verbArgs(argv, TERM_OPTIONS, "auth-gateway");
    const [name, ...more] = positionals;
    if (name === undefined || more.length > 0)
      throw usageError("Give the key one name: lathe auth-gateway key add <name> --budget 20/month");
    const { key, stored } = await keysOf(machine).add(termsIn(name, values));
    machine.stderr.write(`This is the only time it is shown. ${termsText(stored, machine.deps.now())}\n`);
    machine.stdout.write(`${key}\n`);
    return EXIT.done;
  },

  revoke: async (argv, machine) => {
    const { positionals } = verbArgs(argv, {}, "auth-gateway");
    const [wanted, ...more] = positionals;
    if (wanted === undefined || more.length > 0)
      throw usageError("Give a name or an id: lathe auth-gateway key revoke <name>. See: lathe auth-gateway key list");
    const revoked = await keysOf(machine).revoke(wanted);
    if (revoked.length === 0) throw usageError(`No key "${wanted}" is in use. See: lathe auth-gateway key list`);
    machine.stdout.write(`Revoked ${revoked.map(({ name }) => name).join(", ")}.\n`);
    return EXIT.done;
  },
};

function termsText({ budget, models, rpm, expires }: ClientKey, now: number): string {
  const end = budget && periodEnd(budget.period, now);
  const again = end === undefined ? "" : ` (next from ${new Date(end).toISOString().slice(0, 10)})`;
  return [
    budget === undefined ? "No budget." : `Budget: ${budgetText(budget)}${again}.`,
    models === undefined ? "All models." : `Models: ${models.join(", ")}.`,
    ...(rpm === undefined ? [] : [`${rpm} requests a minute.`]),
    expires === undefined ? "It does not expire." : `Until ${expires.slice(0, 16)}Z.`,
  ].join(" ");
}

const row = ({ id, name, budget, models, rpm, expires }: ClientKey, spent: number, state: string): string[] => [
  id,
  name,
  budget === undefined ? "-" : budgetText(budget),
  `$${spent.toFixed(4)}`,
  models?.join(" ") ?? "all",
  rpm === undefined ? "-" : String(rpm),
  expires?.slice(0, 10) ?? "-",
  state,
];
