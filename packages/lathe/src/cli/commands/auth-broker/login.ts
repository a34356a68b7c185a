// `lathe auth-broker login [provider]`: stores a sign-in, or a key from stdin, in the vault on this machine; with
// `--via`, in the vault of another machine, while the browser of this one is used.

import { type OAuthRow, oauthRows } from "../../../config/credentials/oauth/rows.ts";
import { DEFAULT_ACCOUNT } from "../../../config/credentials/stored-accounts.ts";
import { PROVIDER } from "../../../doors/broker/server/handlers.ts";
import { Vault } from "../../../doors/broker/vault/vault.ts";
import { readPiped } from "../../../hosts/headless/stdin.ts";
import { Run } from "../../../hosts/run.ts";
import { accountName, accountOf, keyCredential, keyOnCommandLine } from "../../../models/accounts.ts";
import { homePaths } from "../../../platform/home/paths.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import { askSecret } from "../ask-secret.ts";
import type { Command } from "../command.ts";
import { signInAt } from "../login.ts";
import { pick } from "../pick.ts";
import { portOf } from "../serve/server-options.ts";
import { verbArgs } from "../verb-args.ts";
import { loginOver } from "./login-over.ts";

const OPTIONS = {
  account: { type: "string" },
  key: { type: "boolean" },
  via: { type: "string" },
  "dry-run": { type: "boolean" },
  /** `--via` passes this to the other machine, for issuers that accept any port. */
  "redirect-port": { type: "string" },
} as const;

export const brokerLogin: Command = async (argv, machine) => {
  const { values, positionals } = verbArgs(argv, OPTIONS, "auth-broker");
  const [named, ...more] = positionals;
  if (more.length > 0) throw keyOnCommandLine(named);
  if (values["dry-run"] && values.via === undefined)
    throw usageError("--dry-run shows the ssh command of --via user@host.");
  const paths = homePaths(machine.env, machine.userHome);
  const rows = await oauthRows(paths.home);
  if (values.via !== undefined && named === undefined)
    throw usageError("Name the provider: lathe auth-broker login <provider> --via user@host");
  const as = values.account === undefined ? undefined : accountName(named ?? "", values.account);
  const provider = named ?? (await pickProvider(rows, machine));
  if (values.via !== undefined) {
    const row = rows.find((one) => one.provider === provider);
    return loginOver(machine, { row, via: values.via, account: as, isDry: values["dry-run"] ?? false });
  }
  const account = await accountOf(await new Run(machine).open({}), provider);
  if (!PROVIDER.test(account.id))
    throw usageError("The vault keeps providers whose names have letters, digits and . _ - only.");
  const port = values["redirect-port"];
  const row = account.oauth;
  const credential =
    row !== undefined && !values.key
      ? await signInAt(port === undefined ? row : { ...row, redirectPort: portOf("--redirect-port", port) }, machine)
      : keyCredential(
          account,
          await readKey(account.name, machine),
          `pipe it in: lathe auth-broker login ${account.id} < key.txt`,
        );
  await new Vault(paths.broker).store.set(account.id, credential, as ?? DEFAULT_ACCOUNT);
  machine.stdout.write(`Stored for ${account.name}${as === undefined ? "" : ` as "${as}"`} in the broker's vault.\n`);
  return EXIT.done;
};

async function pickProvider(rows: readonly OAuthRow[], machine: Machine): Promise<string> {
  const names = rows.map(({ provider, label }) => (label === provider ? provider : `${label} (${provider})`));
  if (!machine.stdin.isTTY)
    throw usageError(
      `Name a provider: lathe auth-broker login <provider>. You can sign in to ${rows.map(({ provider }) => provider).join(", ")}.`,
    );
  return rows[await pick("Sign in to number: ", names, machine)]?.provider ?? "";
}

async function readKey(name: string, machine: Machine): Promise<string> {
  if (machine.stdin.isTTY) return askSecret(`Key for ${name} (hidden): `, machine);
  return (await readPiped(machine)).toString("utf8");
}
