// `lathe login <provider>` and `lathe logout <provider>`: a key from stdin or a question, or a sign-in where there is
// an issuer for it.

import { createInterface } from "node:readline";
import { findRow } from "@lathe/llm/providers";
import type { OAuthRow } from "../credentials/oauth/rows.ts";
import type { StoredCredential } from "../credentials/store.ts";
import { readPiped } from "../headless/stdin.ts";
import type { Machine } from "../machine/machine.ts";
import { credentialStore } from "../models/credentials.ts";
import { accountOf, keyFrom, keyOnCommandLine, signIn } from "../models/sign-in.ts";
import { EXIT, usageError } from "../usage/exit.ts";
import { openWorkspace } from "../workspace/workspace.ts";
import { askSecret } from "./ask-secret.ts";
import type { Command } from "./command.ts";

export const loginCommand: Command = async (argv, machine) => {
  const wantsKey = argv.includes("--key");
  const [name, ...more] = argv.filter((word) => word !== "--key");
  if (name?.startsWith("-")) throw usageError(`lathe login takes one provider and --key, not ${optionName(name)}.`);
  if (more.length > 0) throw keyOnCommandLine(name);
  const workspace = await openWorkspace(machine, {});
  const account = await accountOf(workspace, name, "login");
  const piped = machine.stdin.isTTY ? "" : (await readPiped(machine)).toString("utf8").trim();
  const credential =
    account.oauth && !wantsKey && piped === ""
      ? await signInHere(account.oauth, machine)
      : keyFrom(account, machine.stdin.isTTY ? await askSecret(`Key for ${account.name} (hidden): `, machine) : piped);
  const where = await credentialStore(workspace).set(account.id, credential);
  machine.stdout.write(
    `Stored for ${account.name} in the ${where === "keyring" ? "system keyring" : "credentials file"}.\n`,
  );
  return EXIT.done;
};

export const logoutCommand: Command = async ([name, ...more], machine) => {
  if (more.length > 0) throw usageError("lathe logout takes one provider.");
  const workspace = await openWorkspace(machine, {});
  // A stored credential can be deleted even if its provider is no longer known.
  const store = credentialStore(workspace);
  const left = name !== undefined && store.providers().includes(name);
  const account = left ? { id: name, name: findRow(name)?.name ?? name } : await accountOf(workspace, name, "logout");
  const found = await store.remove(account.id);
  machine.stdout.write(
    found ? `Deleted the credential of ${account.name}.\n` : `Nothing was stored for ${account.name}.\n`,
  );
  return EXIT.done;
};

/** Of `--key=secret` only what stands before the value. */
const optionName = (word: string): string => word.split("=", 1)[0] ?? "";

/** Reads until the signal, then releases the terminal. */
async function* linesOf(input: Machine["stdin"], signal: AbortSignal): AsyncIterable<string> {
  const lines = createInterface({ input, terminal: false });
  signal.addEventListener("abort", () => lines.close(), { once: true });
  yield* lines;
  input.pause();
}

async function signInHere(row: OAuthRow, machine: Machine): Promise<StoredCredential> {
  const { stderr, stdin } = machine;
  const stop = new AbortController();
  const onInterrupt = (): void => stop.abort();
  process.once("SIGINT", onInterrupt);
  try {
    return await signIn(row, machine, {
      show: (line) => void stderr.write(`${line}\n`),
      signal: stop.signal,
      ...(stdin.isTTY ? { pasted: (signal: AbortSignal) => linesOf(stdin, signal) } : {}),
    });
  } finally {
    process.off("SIGINT", onInterrupt);
  }
}
