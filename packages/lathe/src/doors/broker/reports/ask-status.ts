// Asks a running broker for the state of its credentials, as a client with its token.

import { visibleLine } from "@lathe/agent/base";
import { parseJson } from "@lathe/llm";
import { Checker } from "@lathe/llm/schema";
import { answerText } from "../../../platform/machine/answer-text.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { type CredentialState, statusReply } from "./credential-states.ts";

const ANSWER_WITHIN_MS = 3_000;
const MOST_BYTES = 8 << 20;
const CHECKER = new Checker(statusReply, { acceptsUnknown: true });

/** Removes control characters: a remote broker must not control this terminal. */
function printable({ provider, name, identity, cause, ...state }: CredentialState): CredentialState {
  return {
    ...state,
    provider: visibleLine(provider),
    name: visibleLine(name),
    ...(identity === undefined ? {} : { identity: visibleLine(identity) }),
    ...(cause === undefined ? {} : { cause: visibleLine(cause) }),
  };
}

/** Resolves with the states, or with the reason why there are none. */
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
    if (reply.status === 401) return "it rejects the token";
    if (reply.status !== 200) return `it answers with status ${reply.status}`;
    if (!CHECKER.fits(body)) return "the program there is not a broker";
    return body.credentials.map(printable);
  } catch (error) {
    return ending.signal.aborted ? "it does not answer" : (error as Error).message.replace(/\.$/, "");
  } finally {
    timer.cancel();
  }
}
