// Signing in to a provider, and checking a key that was typed: the same at the command line and inside a conversation.

import { findRow, providerRows } from "@lathe/llm/providers";
import { signInWithDevice } from "../credentials/oauth/device.ts";
import { signInWithBrowser } from "../credentials/oauth/pkce.ts";
import { poster } from "../credentials/oauth/post.ts";
import { type OAuthRow, oauthRows } from "../credentials/oauth/rows.ts";
import type { StoredCredential } from "../credentials/store.ts";
import type { Machine } from "../machine/machine.ts";
import { CliError, EXIT, usageError } from "../usage/exit.ts";
import { nearest } from "../usage/nearest.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { modelsOf } from "./connect.ts";
import { PRACTICE, PRACTICE_PROVIDER } from "./models.ts";

/** Time for a person to sign in with a browser: the usual lifetime of a device code. */
const PATIENCE_MS = 10 * 60_000;

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly oauth?: OAuthRow;
}

/** Where the person is told what to do, and how a page's address comes back. */
export interface SignInPlace {
  show(line: string): void;
  readonly signal: AbortSignal;
  /** Lines that are pasted; absent where nobody can. */
  pasted?(signal: AbortSignal): AsyncIterable<string>;
}

/** What was typed is not repeated: it is most likely the key. */
export function keyOnCommandLine(name = ""): CliError {
  const provider = looksLikeKey(name) ? "<provider>" : name;
  return usageError(
    `A key is not taken from the command line: it stays in your shell's history. Delete it there, then pipe the key in: lathe login ${provider} < key.txt`,
  );
}

/** Longer than the name of any provider, or with the beginning that keys have. */
const looksLikeKey = (word: string): boolean => /^(sk|pk|gsk|xai|key|AIza|ghp|hf)[-_]/.test(word) || word.length > 30;

export async function accountOf(workspace: Workspace, name: string | undefined, verb: string): Promise<Account> {
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

/** A key as it was typed or piped. */
export function keyFrom({ id, name }: Account, typed: string): StoredCredential {
  const key = typed.trim();
  const isLocal = findRow(id)?.keyless === true;
  if (key === "" && isLocal)
    throw usageError(`${name} needs no key. If yours does, pipe it in: lathe login ${id} < key.txt`);
  if (key === "") throw usageError(`No key given. Pipe it in: lathe login ${id} < key.txt`);
  if (/[^\x21-\x7e]/.test(key)) throw usageError("A key contains no spaces or line breaks. Give only the key.");
  return { type: "api_key", key };
}

export async function signIn(row: OAuthRow, { deps }: Machine, place: SignInPlace): Promise<StoredCredential> {
  const { show, signal, pasted } = place;
  const post = poster(deps.fetch);
  try {
    if (row.deviceUrl)
      return await signInWithDevice(row, { post, now: deps.now, sleep: (ms) => deps.sleep(ms, signal), show });
    return await signInWithBrowser(row, {
      post,
      now: deps.now,
      signal,
      patienceMs: PATIENCE_MS,
      open: (url) => {
        show(`Open ${url}\nWaiting for you to sign in with your browser. Press Ctrl+C to cancel.`);
        if (pasted)
          show(
            "If the browser is on another machine and ends at a page it cannot open, paste that page's address here.",
          );
      },
      ...(pasted ? { pasted } : {}),
    });
  } catch (error) {
    if (signal.aborted) throw new CliError(EXIT.interrupted, "Signing in was cancelled.", { cause: error });
    if (error instanceof CliError) throw error;
    throw new CliError(EXIT.provider, `Signing in to ${row.label} failed: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
