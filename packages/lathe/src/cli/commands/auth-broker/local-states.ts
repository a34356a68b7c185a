// The broker of this machine: whether it is running, and the state of its credentials, from the broker itself or from
// its files.

import { lockHolder } from "@lathe/agent/record";
import { oauthRows } from "../../../config/credentials/oauth/rows.ts";
import { brokerFiles } from "../../../doors/broker/open-broker.ts";
import { RenewalNotes } from "../../../doors/broker/renewal/renewal-notes.ts";
import { askStatus } from "../../../doors/broker/reports/ask-status.ts";
import { type CredentialState, stateOf } from "../../../doors/broker/reports/credential-states.ts";
import { Vault } from "../../../doors/broker/vault/vault.ts";
import { homePaths } from "../../../platform/home/paths.ts";
import { readIfReadable } from "../../../platform/home/small-file.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { brokerTokenOf } from "./token.ts";

export interface StatesHere {
  /** Address of the broker that was started last. */
  readonly url: string | undefined;
  readonly isRunning: boolean;
  /** Why a running broker could not be asked. */
  readonly problem: string | undefined;
  readonly credentials: readonly CredentialState[];
}

export async function localBrokerStates(machine: Machine): Promise<StatesHere> {
  const { env, userHome, host } = machine;
  const vault = new Vault(homePaths(env, userHome).broker);
  const files = brokerFiles(vault.folder);
  const url = readIfReadable(files.address)?.trim() || undefined;
  // The token goes only to the broker that holds the lock, never to a program that took its port later.
  const isRunning = lockHolder(files.lock, { host })?.dead === false;
  const asked = isRunning && url !== undefined ? await askStatus(machine, url, await tokenHere(machine)) : undefined;
  if (typeof asked === "object") return { url, isRunning, problem: undefined, credentials: asked };
  return {
    url,
    isRunning,
    problem: asked,
    credentials: await fromFiles(machine, vault, { notes: files.notes, isRunning }),
  };
}

const tokenHere = (machine: Machine): Promise<string> => brokerTokenOf(machine).token();

async function fromFiles(
  { env, userHome, deps }: Machine,
  vault: Vault,
  { notes, isRunning }: { readonly notes: string; readonly isRunning: boolean },
): Promise<readonly CredentialState[]> {
  const { home } = homePaths(env, userHome);
  const issuers = new Set((await oauthRows(home)).map(({ provider }) => provider));
  const known = new RenewalNotes(notes).all();
  return (await vault.store.all()).map((one) =>
    stateOf(one, {
      issuers,
      notes: known,
      isUnderWay: (id) => isRunning && known[id]?.noteAsking !== undefined,
      diskProblem: () => undefined,
      now: deps.now(),
    }),
  );
}
