// Logging in during a conversation or before the first session: choosing the provider, getting a key or signing in, and
// storing the credential.

import type { StoredCredential } from "../../config/credentials/store.ts";
import {
  type Account,
  keyCredential,
  type ListedAccount,
  listAccounts,
  storeCredential,
} from "../../models/accounts.ts";
import { signIn } from "../../models/sign-in.ts";
import { usageError } from "../../platform/usage/exit.ts";
import type { SessionWorkspace } from "../session-workspace.ts";
import { chooseFrom } from "./choice.ts";
import type { CommandView } from "./command-view.ts";

export type LoginView = Pick<CommandView, "line" | "ask" | "askSecret" | "choose">;

/** Undefined: the user chose none. */
export async function chooseAccount(workspace: SessionWorkspace, view: LoginView): Promise<Account | undefined> {
  const accounts = await listAccounts(workspace);
  return chooseFrom(view, { title: "Log in to", items: accounts.map(itemOf) });
}

export function itemOf(account: ListedAccount): { value: ListedAccount; label: string; detail: string } {
  const { id, name, oauth, source, problem } = account;
  const state = source ?? problem ?? (oauth ? "sign-in or key" : "");
  return { value: account, label: id, detail: [name, state].filter((part) => part !== "").join(" · ") };
}

/** False: the user cancelled, and nothing has changed. */
export async function logIn(workspace: SessionWorkspace, account: Account, view: LoginView): Promise<boolean> {
  const credential = await credentialFor(workspace, account, view);
  if (!credential) return false;
  view.line(await storeCredential(workspace, account, credential), "dim");
  return true;
}

async function credentialFor(
  workspace: SessionWorkspace,
  account: Account,
  view: LoginView,
): Promise<StoredCredential | undefined> {
  if (!account.oauth) return askForKey(account, view);
  const way = await chooseFrom(view, {
    title: account.name,
    items: [
      { value: "sign-in", label: "Sign in with a browser" },
      { value: "key", label: "Enter a key" },
    ],
  });
  if (way === undefined) return undefined;
  return way === "key" ? askForKey(account, view) : signInWithBrowser(workspace, account.oauth, view);
}

async function askForKey(account: Account, view: LoginView): Promise<StoredCredential | undefined> {
  if (!view.askSecret) throw usageError(`A key cannot be typed here. Run: lathe login ${account.id}`);
  const typed = await view.askSecret(`Key for ${account.name}`);
  if (typed === undefined) return undefined;
  return keyCredential(account, typed, `run /login ${account.id} and paste it.`);
}

/**
 * The question stays open until the sign-in ends: closing it cancels the sign-in, and the user can paste an address
 * into it.
 */
async function signInWithBrowser(
  { machine }: SessionWorkspace,
  row: NonNullable<Account["oauth"]>,
  view: LoginView,
): Promise<StoredCredential> {
  const givenUp = new AbortController();
  const over = new AbortController();
  async function* lines(signal: AbortSignal): AsyncIterable<string> {
    while (!signal.aborted) {
      const line = await view.ask(`Signing in to ${row.label}. Address to paste, if any:`, signal);
      if (line === undefined && !signal.aborted) givenUp.abort();
      if (line === undefined) return;
      yield line;
    }
  }
  const isDevice = row.deviceUrl !== undefined;
  // With a device code there is nothing to paste; the question is there only so that the user can cancel.
  const waiting = isDevice ? drain(lines(over.signal)) : undefined;
  try {
    return await signIn(row, machine, {
      show: (line) => view.line(line),
      cancels: view.choose ? "Esc cancels." : "Ctrl+C cancels.",
      signal: givenUp.signal,
      ...(isDevice ? {} : { pastedLines: lines }),
    });
  } finally {
    over.abort();
    await waiting;
  }
}

async function drain(lines: AsyncIterable<string>): Promise<void> {
  for await (const _ of lines);
}
