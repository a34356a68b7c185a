// `lathe login <provider>` and `lathe logout <provider>`: a key from stdin or a question, or a sign-in where there is
// an issuer for it.

import { createInterface } from "node:readline";
import { findRow, providerRows } from "@lathe/llm/providers";
import { signInWithDevice } from "../credentials/oauth/device.ts";
import { signInWithBrowser } from "../credentials/oauth/pkce.ts";
import { poster } from "../credentials/oauth/post.ts";
import { type OAuthRow, oauthRows } from "../credentials/oauth/rows.ts";
import type { StoredCredential } from "../credentials/store.ts";
import { readPiped } from "../headless/stdin.ts";
import type { Machine } from "../machine/machine.ts";
import { modelsOf } from "../models/connect.ts";
import { credentialStore } from "../models/credentials.ts";
import { PRACTICE, PRACTICE_PROVIDER } from "../models/models.ts";
import { CliError, EXIT, usageError } from "../usage/exit.ts";
import { nearest } from "../usage/nearest.ts";
import { openWorkspace, type Workspace } from "../workspace/workspace.ts";
import { askSecret } from "./ask-secret.ts";
import type { Command } from "./command.ts";

/** Time for a person to sign in with a browser: the usual lifetime of a device code. */
const PATIENCE_MS = 10 * 60_000;

interface Account {
  readonly id: string;
  readonly name: string;
  readonly oauth?: OAuthRow;
}

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
      ? await signIn(account.oauth, machine)
      : await keyOf(account, piped, machine);
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

/** What was typed is not repeated: it is most likely the key. */
function keyOnCommandLine(name = ""): CliError {
  const provider = looksLikeKey(name) ? "<provider>" : name;
  return usageError(
    `A key is not taken from the command line: it stays in your shell's history. Delete it there, then pipe the key in: lathe login ${provider} < key.txt`,
  );
}

/** Longer than the name of any provider, or with the beginning that keys have. */
const looksLikeKey = (word: string): boolean => /^(sk|pk|gsk|xai|key|AIza|ghp|hf)[-_]/.test(word) || word.length > 30;

async function accountOf(workspace: Workspace, name: string | undefined, verb: string): Promise<Account> {
  if (name === PRACTICE_PROVIDER)
    throw usageError(`The practice model needs no key: lathe --model ${PRACTICE} "<request>"`);
  if (name === undefined)
    throw usageError(`Name a provider: lathe ${verb} <provider>, for example anthropic, openai or gemini.`);
  const row = findRow(name);
  const issuers = await oauthRows(workspace.paths.home);
  const oauth = issuers.find(({ provider }) => provider === (row?.id ?? name));
  const { registry } = await modelsOf(workspace);
  if (row?.unsupported !== undefined) throw usageError(`${row.name} cannot be used: ${row.unsupported}.`);
  if (row || oauth || registry.knows(name))
    return { id: row?.id ?? name, name: row?.name ?? oauth?.label ?? name, ...(oauth ? { oauth } : {}) };
  if (looksLikeKey(name)) throw keyOnCommandLine(name);
  const guess = nearest(name, [
    ...providerRows.map(({ id }) => id),
    ...Object.keys(registry.config.providers ?? {}),
    ...issuers.map(({ provider }) => provider),
  ]);
  throw usageError(`Unknown provider "${name}".${guess ? ` Did you mean ${guess}?` : " See: lathe models"}`);
}

async function keyOf({ id, name }: Account, piped: string, machine: Machine): Promise<StoredCredential> {
  const typed = machine.stdin.isTTY ? await askSecret(`Key for ${name} (hidden): `, machine) : piped;
  const key = typed.trim();
  const isLocal = findRow(id)?.keyless === true;
  if (key === "" && isLocal)
    throw usageError(`${name} needs no key. If yours does, pipe it in: lathe login ${id} < key.txt`);
  if (key === "") throw usageError(`No key given. Pipe it in: lathe login ${id} < key.txt`);
  if (/[^\x21-\x7e]/.test(key)) throw usageError("A key contains no spaces or line breaks. Give only the key.");
  return { type: "api_key", key };
}

/** Reads until the signal, then releases the terminal. */
async function* linesOf(input: Machine["stdin"], signal: AbortSignal): AsyncIterable<string> {
  const lines = createInterface({ input, terminal: false });
  signal.addEventListener("abort", () => lines.close(), { once: true });
  yield* lines;
  input.pause();
}

async function signIn(row: OAuthRow, machine: Machine): Promise<StoredCredential> {
  const { deps, stderr, stdin } = machine;
  const post = poster(deps.fetch);
  const show = (line: string): void => void stderr.write(`${line}\n`);
  const stop = new AbortController();
  const onInterrupt = (): void => stop.abort();
  process.once("SIGINT", onInterrupt);
  try {
    if (row.deviceUrl)
      return await signInWithDevice(row, { post, now: deps.now, sleep: (ms) => deps.sleep(ms, stop.signal), show });
    return await signInWithBrowser(row, {
      post,
      now: deps.now,
      signal: stop.signal,
      patienceMs: PATIENCE_MS,
      open: (url) => {
        show(`Open ${url}\nWaiting for you to sign in with your browser. Press Ctrl+C to cancel.`);
        if (stdin.isTTY)
          show(
            "If the browser is on another machine and ends at a page it cannot open, paste that page's address here.",
          );
      },
      ...(stdin.isTTY ? { pasted: (signal: AbortSignal) => linesOf(stdin, signal) } : {}),
    });
  } catch (error) {
    if (stop.signal.aborted) throw new CliError(EXIT.interrupted, "Signing in was cancelled.", { cause: error });
    if (error instanceof CliError) throw error;
    throw new CliError(EXIT.provider, `Signing in to ${row.label} failed: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    process.off("SIGINT", onInterrupt);
  }
}
