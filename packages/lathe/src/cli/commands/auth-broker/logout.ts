// `lathe auth-broker logout [provider]`: deletes credentials from the vault; clients are notified at once.

import { Vault } from "../../../doors/broker/vault/vault.ts";
import { homePaths } from "../../../platform/home/paths.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import type { Command } from "../command.ts";
import { pick } from "../pick.ts";
import { verbArgs } from "../verb-args.ts";

export const brokerLogout: Command = async (argv, machine) => {
  const { values, positionals } = verbArgs(argv, { account: { type: "string" } }, "auth-broker");
  const [named, ...more] = positionals;
  if (more.length > 0) throw usageError("lathe auth-broker logout takes one provider, and --account <name>.");
  const { store } = new Vault(homePaths(machine.env, machine.userHome).broker);
  const providers = store.providers();
  if (providers.length === 0) throw usageError("The vault is empty: there is nothing to delete.");
  if (named === undefined && !machine.stdin.isTTY)
    throw usageError(`Name a provider: lathe auth-broker logout <provider>. The vault has ${providers.join(", ")}.`);
  const provider = named ?? providers[await pick("Delete the credentials of number: ", providers, machine)] ?? "";
  const names = store.names(provider);
  if (names.length === 0)
    throw usageError(`The vault has no credentials of that provider. It has ${providers.join(", ")}.`);
  const { account } = values;
  if (account !== undefined && !names.includes(account))
    throw usageError(`${provider} has no such account. It has ${names.join(", ")}.`);
  await store.remove(provider, account);
  const deleted = account === undefined ? names : [account];
  machine.stdout.write(`Deleted from ${provider}: ${deleted.join(", ")}.\n`);
  return EXIT.done;
};
