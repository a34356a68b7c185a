// `lathe login <provider>` and `lathe logout <provider>`: a key from stdin or a question, or a sign-in where the provider has one.

import { createInterface } from "node:readline/promises";
import { findRow, type ProviderRow, providerRows } from "@lathe/llm/providers";
import { CliError, EXIT, usageError } from "../cli/exit.ts";
import { nearest } from "../cli/nearest.ts";
import { signInWithDevice } from "../credentials/oauth/device.ts";
import { signInWithBrowser } from "../credentials/oauth/pkce.ts";
import { postForm } from "../credentials/oauth/post.ts";
import { OAUTH_ROWS, type OAuthRow } from "../credentials/oauth/rows.ts";
import type { StoredCredential } from "../credentials/store.ts";
import { credentialStore } from "../run/credentials.ts";
import type { Machine } from "../run/machine.ts";
import { readPiped } from "../run/prompts.ts";
import { openWorkspace } from "../run/workspace.ts";
import type { Command } from "./index.ts";

export const loginCommand: Command = async ([name], machine) => {
  const row = provider(name, "login");
  const store = credentialStore(await openWorkspace(machine, {}));
  const oauth = OAUTH_ROWS.find((candidate) => candidate.provider === row.id);
  const credential = oauth ? await signIn(oauth, machine) : await askKey(row, machine);
  const where = await store.set(row.id, credential);
  machine.stdout.write(
    `Stored for ${row.name} in the ${where === "keyring" ? "system keyring" : "credentials file"}.\n`,
  );
  return EXIT.done;
};

export const logoutCommand: Command = async ([name], machine) => {
  const row = provider(name, "logout");
  const store = credentialStore(await openWorkspace(machine, {}));
  const found = await store.remove(row.id);
  machine.stdout.write(found ? `Forgotten: ${row.name}.\n` : `Nothing was stored for ${row.name}.\n`);
  return EXIT.done;
};

function provider(name: string | undefined, verb: string): ProviderRow {
  if (name === undefined)
    throw usageError(`Name a provider: lathe ${verb} <provider>, for example anthropic, openai or gemini.`);
  const row = findRow(name);
  if (row) return row;
  const guess = nearest(
    name,
    providerRows.map(({ id }) => id),
  );
  throw usageError(`Unknown provider "${name}".${guess ? ` Did you mean ${guess}?` : ""}`);
}

async function askKey(row: ProviderRow, machine: Machine): Promise<StoredCredential> {
  const key = machine.stdin.isTTY ? await ask(`Key for ${row.name}: `, machine) : await readPiped(machine);
  if (key.trim() === "") throw usageError(`No key given. Pipe it in: lathe login ${row.id} < key.txt`);
  return { type: "api_key", key: key.trim() };
}

async function ask(question: string, { stdin, stderr }: Machine): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

async function signIn(row: OAuthRow, machine: Machine): Promise<StoredCredential> {
  const { deps, stderr } = machine;
  const post = postForm(deps.fetch);
  const show = (line: string): void => void stderr.write(`${line}\n`);
  if (row.deviceUrl) return signInWithDevice(row, { post, now: deps.now, sleep: (ms) => deps.sleep(ms), show });
  const stop = new AbortController();
  const onInterrupt = (): void => stop.abort();
  process.once("SIGINT", onInterrupt);
  try {
    return await signInWithBrowser(row, {
      post,
      now: deps.now,
      signal: stop.signal,
      open: (url) => show(`Open ${url}`),
    });
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(EXIT.provider, `Signing in to ${row.label} failed: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    process.off("SIGINT", onInterrupt);
  }
}
