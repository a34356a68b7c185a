// `lathe auth-broker import <file|folder>`: imports tokens of other programs into the vault. A token that no row of
// oauth.yml can renew is stored without its refresh token, which nothing here could use.

import { readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { oauthRows } from "../../../config/credentials/oauth/rows.ts";
import type { OAuthCredential } from "../../../config/credentials/store.ts";
import { DEFAULT_ACCOUNT } from "../../../config/credentials/stored-accounts.ts";
import { PROVIDER } from "../../../doors/broker/server/handlers.ts";
import { accountNameOf, type ForeignToken, readForeignToken } from "../../../doors/broker/vault/foreign-token.ts";
import { Vault } from "../../../doors/broker/vault/vault.ts";
import { homePaths } from "../../../platform/home/paths.ts";
import { readIfReadable } from "../../../platform/home/small-file.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import { momentText } from "../../../platform/usage/moments.ts";
import { printableLine } from "../../../sessions/list.ts";
import { table } from "../../../sessions/tables/table.ts";
import type { Command } from "../command.ts";
import { verbArgs } from "../verb-args.ts";

interface Imported {
  readonly file: string;
  readonly outcome: "imported" | "would be imported" | "unchanged" | "disabled, skipped" | "not readable";
  readonly provider?: string;
  readonly name?: string;
  readonly expires?: number;
  readonly isRenewable?: boolean;
  /** Why the token was not imported, or cannot be renewed. */
  readonly note?: string;
}

const MOST_BYTES = 1 << 20;

export const brokerImport: Command = async (argv, machine) => {
  const options = {
    provider: { type: "string" },
    "include-disabled": { type: "boolean" },
    "dry-run": { type: "boolean" },
    json: { type: "boolean" },
  } as const;
  const { values, positionals } = verbArgs(argv, options, "auth-broker");
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0)
    throw usageError("Give one file or folder: lathe auth-broker import ~/tokens [--provider id] [--dry-run]");
  const { provider } = values;
  if (provider !== undefined && !PROVIDER.test(provider))
    throw usageError("--provider takes letters, digits and . _ - only, such as anthropic.");
  const paths = homePaths(machine.env, machine.userHome);
  const importing: Importing = {
    vault: new Vault(paths.broker),
    issuers: new Set((await oauthRows(paths.home)).map((row) => row.provider)),
    provider,
    takesDisabled: values["include-disabled"] ?? false,
    isDry: values["dry-run"] ?? false,
  };
  const rows: Imported[] = [];
  for (const file of filesAt(resolve(machine.cwd, path), path)) rows.push(await importFile(file, importing));
  report(machine, rows, values.json ?? false);
  return rows.some(({ outcome }) => outcome === "not readable") ? EXIT.usage : EXIT.done;
};

interface Importing {
  readonly vault: Vault;
  readonly issuers: ReadonlySet<string>;
  readonly provider: string | undefined;
  readonly takesDisabled: boolean;
  readonly isDry: boolean;
}

function filesAt(path: string, written: string): readonly string[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw usageError(`There is no ${written}. Give a file or a folder with token files.`);
  if (!stat.isDirectory()) return [path];
  const names = readdirSync(path).filter((name) => name.endsWith(".json"));
  if (names.length === 0) throw usageError(`${written} has no .json files. Give a file or a folder with token files.`);
  return names.sort().map((name) => join(path, name));
}

async function importFile(file: string, importing: Importing): Promise<Imported> {
  const token = tokenIn(file, importing.provider);
  if (typeof token === "string") return { file, outcome: "not readable", note: token };
  const { vault, issuers, takesDisabled, isDry } = importing;
  const { provider } = token;
  const name = token.name ?? accountNameOf(basename(file, ".json")) ?? DEFAULT_ACCOUNT;
  const isRenewable = issuers.has(provider) && token.credential.refresh !== undefined;
  const { refresh: _, ...withoutRefresh } = token.credential;
  const credential: OAuthCredential = isRenewable ? token.credential : withoutRefresh;
  const row = {
    ...{ file, provider, name, isRenewable },
    ...(credential.expires === undefined ? {} : { expires: credential.expires }),
    ...(isRenewable ? {} : { note: issuers.has(provider) ? "no refresh token" : "no row in oauth.yml: not renewed" }),
  };
  if (token.isDisabled && !takesDisabled) return { ...row, outcome: "disabled, skipped" };
  if (await hasNewer(vault, { provider, name, credential })) return { ...row, outcome: "unchanged" };
  if (isDry) return { ...row, outcome: "would be imported" };
  await vault.store.set(provider, credential, name);
  return { ...row, outcome: "imported" };
}

/** The broker may have renewed a token after it was imported; then the file is older. */
async function hasNewer(
  { store }: Vault,
  {
    provider,
    name,
    credential,
  }: { readonly provider: string; readonly name: string; readonly credential: OAuthCredential },
): Promise<boolean> {
  const found = (await store.all()).find(({ info }) => info.provider === provider && info.name === name);
  if (found?.credential.type !== "oauth") return false;
  const { access, expires } = found.credential;
  if (access === credential.access) return true;
  return found.info.disabled === undefined && expires !== undefined && expires >= (credential.expires ?? 0);
}

function tokenIn(file: string, provider: string | undefined): ForeignToken | string {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile()) return "it is not a file";
  if (stat.size > MOST_BYTES) return "it is too large for a token file";
  const text = readIfReadable(file);
  return text === undefined ? "it cannot be read" : readForeignToken(text, provider);
}

function report({ stdout }: Machine, rows: readonly Imported[], isJson: boolean): void {
  if (isJson) {
    stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
    return;
  }
  const shown = rows.map(({ file, outcome, provider = "-", name = "-", expires, isRenewable, note }) => [
    printableLine(basename(file)),
    outcome,
    provider,
    name,
    expires === undefined ? "-" : `${isRenewable ? "renewed from" : "ends"} ${momentText(expires)}`,
    note ?? "",
  ]);
  stdout.write(table(shown));
}
