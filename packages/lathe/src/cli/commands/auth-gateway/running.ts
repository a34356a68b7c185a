// Finds the gateway and checks whether it answers.

import { lockHolder } from "@lathe/agent/record";
import { homePaths } from "../../../platform/home/paths.ts";
import { readIfReadable } from "../../../platform/home/small-file.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { httpUrl } from "../../../platform/options/values.ts";

export const DEFAULT_BIND = "127.0.0.1:4000";
const ANSWER_WITHIN_MS = 3_000;

/** The given address, or else that of the gateway this home started last. */
export function gatewayUrl({ env, userHome }: Machine, given: string | undefined): string {
  const last = readIfReadable(homePaths(env, userHome).gatewayAddress)?.trim();
  return new URL(httpUrl("url", given ?? (last || `http://${DEFAULT_BIND}`))).origin;
}

/** A running gateway may not be reachable from here, but it holds the lock of its ledger. */
export const isGatewayRunning = ({ env, userHome, host }: Machine): boolean =>
  lockHolder(`${homePaths(env, userHome).gatewayLedger}/.lock`, { host })?.dead === false;

/** Undefined if a gateway answers. */
export async function problemAt({ deps }: Machine, url: string): Promise<string | undefined> {
  const ending = new AbortController();
  const timer = deps.setTimer(() => ending.abort(), ANSWER_WITHIN_MS);
  try {
    const { status, body } = await deps.fetch({
      url: `${url}/healthz`,
      method: "GET",
      headers: {},
      signal: ending.signal,
    });
    for await (const _chunk of body); // read to the end, so that the connection can be closed
    return status === 200 ? undefined : `it answers with status ${status}`;
  } catch (error) {
    return ending.signal.aborted ? "it does not answer" : (error as Error).message.replace(/\.$/, "");
  } finally {
    timer.cancel();
  }
}
