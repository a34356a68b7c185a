// The broker of this machine: whether it runs, and the state of its credentials, as it says itself or as its files say.

import { visibleLine } from "@lathe/agent/base";
import { lockHolder } from "@lathe/agent/record";
import { parseJson } from "@lathe/llm";
import { Checker } from "@lathe/llm/schema";
import { oauthRows } from "../../../config/credentials/oauth/rows.ts";
import { brokerFiles } from "../../../doors/broker/open-broker.ts";
import { RenewalNotes } from "../../../doors/broker/renewal/renewal-notes.ts";
import { type CredentialState, stateOf, statusReply } from "../../../doors/broker/reports/credential-states.ts";
import { Vault } from "../../../doors/broker/vault/vault.ts";
import { homePaths } from "../../../platform/home/paths.ts";
import { readIfReadable } from "../../../platform/home/small-file.ts";
import { answerText } from "../../../platform/machine/answer-text.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { brokerTokenOf } from "./token.ts";

const ANSWER_WITHIN_MS = 3_000;
const MOST_BYTES = 8 << 20;
const CHECKER = new Checker(statusReply, { acceptsUnknown: true });

export interface StatesHere {
  /** Of the broker that was started last. */
  readonly url: string | undefined;
  readonly isRunning: boolean;
  /** Why a running broker could not be asked. */
  readonly problem: string | undefined;
  readonly credentials: readonly CredentialState[];
}

export async function statesHere(machine: Machine): Promise<StatesHere> {
  const { env, userHome, host } = machine;
  const vault = new Vault(homePaths(env, userHome).broker);
  const files = brokerFiles(vault.folder);
  const url = readIfReadable(files.address)?.trim() || undefined;
  // The token goes to the broker that holds the lock, never to whoever took its port later.
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
      isUnderWay: (id) => isRunning && known[id]?.asking !== undefined,
      diskProblem: () => undefined,
      now: deps.now(),
    }),
  );
}

/** A broker elsewhere must not steer this terminal. */
function printable({ provider, name, identity, cause, ...state }: CredentialState): CredentialState {
  return {
    ...state,
    provider: visibleLine(provider),
    name: visibleLine(name),
    ...(identity === undefined ? {} : { identity: visibleLine(identity) }),
    ...(cause === undefined ? {} : { cause: visibleLine(cause) }),
  };
}

/** The states, or why there are none. */
export async function askStatus(
  { deps }: Machine,
  url: string,
  token: string,
): Promise<readonly CredentialState[] | string> {
  const ending = new AbortController();
  const timer = deps.setTimer(() => ending.abort(), ANSWER_WITHIN_MS);
  try {
    const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
    const reply = await deps.fetch({ url: `${url}/v1/status`, method: "GET", headers, signal: ending.signal });
    const body = parseJson(await answerText(reply.body, MOST_BYTES));
    if (reply.status === 401) return "it does not take the token";
    if (reply.status !== 200) return `it answers with status ${reply.status}`;
    if (!CHECKER.fits(body)) return "what answers there is not a broker";
    return body.credentials.map(printable);
  } catch (error) {
    return ending.signal.aborted ? "it does not answer" : (error as Error).message.replace(/\.$/, "");
  } finally {
    timer.cancel();
  }
}
