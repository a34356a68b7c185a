// `lathe login <provider>` and `lathe logout <provider>`: stores a key from stdin or a prompt, or signs in if there is
// an issuer for the provider.

import { findRow } from "@lathe/llm/providers";
import type { OAuthRow } from "../../config/credentials/oauth/rows.ts";
import { findSearchEngine } from "../../config/credentials/search-engines.ts";
import type { StoredCredential } from "../../config/credentials/store.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { readPiped } from "../../hosts/headless/stdin.ts";
import { Run } from "../../hosts/run.ts";
import {
  type Account,
  accountName,
  accountOf,
  deleteCredential,
  keyCredential,
  keyOnCommandLine,
  refuseAtBroker,
  storeCredential,
  wrongIssuers,
} from "../../models/accounts.ts";
import { credentialStore } from "../../models/credentials.ts";
import { signIn } from "../../models/sign-in.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { EXIT, usageError } from "../../platform/usage/exit.ts";
import { askSecret, linesOf } from "./ask-secret.ts";
import type { Command } from "./command.ts";

export const loginCommand: Command = async (argv, machine) => {
  const { words, account: as } = withAccountOption(argv);
  const wantsKey = words.includes("--key");
  const [name, ...more] = words.filter((word) => word !== "--key");
  const option = words.find((word) => word.startsWith("-") && word !== "--key");
  if (option !== undefined)
    throw usageError(`lathe login takes one provider, --account <name> and --key, not ${optionName(option)}.`);
  if (more.length > 0) throw keyOnCommandLine(name);
  const workspace = await new Run(machine).open({});
  refuseAtBroker(workspace, "login", name);
  await warnOfIssuers(workspace, name);
  const account = await findAccount(workspace, name, "login");
  const called = as === undefined ? undefined : accountName(account.id, as);
  const piped = machine.stdin.isTTY ? "" : (await readPiped(machine)).toString("utf8").trim();
  const credential =
    account.oauth && !wantsKey && piped === ""
      ? await signInAt(account.oauth, machine)
      : await keyOf(account, piped, machine);
  machine.stdout.write(`${await storeCredential(workspace, account, credential, called)}\n`);
  return EXIT.done;
};

export const logoutCommand: Command = async (argv, machine) => {
  const { words, account: only } = withAccountOption(argv);
  const wantsAll = words.includes("--all");
  const [name, ...more] = words.filter((word) => word !== "--all");
  if (more.length > 0 || name?.startsWith("-"))
    throw usageError("lathe logout takes one provider, and --account <name> or --all.");
  const workspace = await new Run(machine).open({});
  refuseAtBroker(workspace, "logout", name);
  await warnOfIssuers(workspace, name);
  // A stored credential can be deleted even if its provider is no longer known.
  const left = name !== undefined && credentialStore(workspace).providers().includes(name);
  const account = left
    ? { id: name, name: findRow(name)?.name ?? findSearchEngine(name)?.name ?? name }
    : await findAccount(workspace, name, "logout");
  const names = credentialStore(workspace).names(account.id);
  if (names.length > 1 && only === undefined && !wantsAll)
    throw usageError(
      `${account.name} has ${names.length} accounts: ${names.join(", ")}. Name one with --account, or give --all.`,
    );
  machine.stdout.write(`${await deleteCredential(workspace, account, only)}\n`);
  return EXIT.done;
};

async function warnOfIssuers(workspace: SessionWorkspace, name: string | undefined): Promise<void> {
  for (const line of await wrongIssuers(workspace, name)) workspace.machine.stderr.write(`lathe: ${line}\n`);
}

/** Takes `--account work` or `--account=work` out of the words. */
function withAccountOption(argv: readonly string[]): { words: readonly string[]; account: string | undefined } {
  const at = argv.findIndex((word) => word === "--account" || word.startsWith("--account="));
  if (at < 0) return { words: argv, account: undefined };
  const written = argv[at] ?? "";
  const isJoined = written !== "--account";
  const account = isJoined ? written.slice("--account=".length) : argv[at + 1];
  if (!account || account.startsWith("-")) throw usageError("--account takes the name of an account, such as work.");
  return { words: argv.filter((_, place) => place !== at && (isJoined || place !== at + 1)), account };
}

/** The part of `--key=secret` before the value. */
const optionName = (word: string): string => word.split("=", 1)[0] ?? "";

function findAccount(workspace: SessionWorkspace, name: string | undefined, verb: string): Promise<Account> {
  if (name === undefined)
    throw usageError(`Name a provider: lathe ${verb} <provider>, for example anthropic, openai or gemini.`);
  return accountOf(workspace, name);
}

async function keyOf(account: Account, piped: string, machine: Machine): Promise<StoredCredential> {
  const typed = machine.stdin.isTTY ? await askSecret(`Key for ${account.name} (hidden): `, machine) : piped;
  return keyCredential(account, typed, `pipe it in: lathe login ${account.id} < key.txt`);
}

export async function signInAt(row: OAuthRow, machine: Machine): Promise<StoredCredential> {
  const { stderr, stdin } = machine;
  const stop = new AbortController();
  const onInterrupt = (): void => stop.abort();
  process.once("SIGINT", onInterrupt);
  try {
    return await signIn(row, machine, {
      show: (line) => void stderr.write(`${line}\n`),
      cancels: "Press Ctrl+C to cancel.",
      signal: stop.signal,
      ...(stdin.isTTY ? { pastedLines: (signal: AbortSignal) => linesOf(stdin, signal) } : {}),
    });
  } finally {
    process.off("SIGINT", onInterrupt);
  }
}
