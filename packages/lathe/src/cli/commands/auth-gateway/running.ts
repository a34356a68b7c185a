// Where the gateway is, and whether it answers there.

import { lockHolder } from "@lathe/agent/record";
import { homePaths } from "../../../platform/home/paths.ts";
import { readIfReadable } from "../../../platform/home/small-file.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { httpUrl } from "../../../platform/options/values.ts";

export const DEFAULT_BIND = "127.0.0.1:4000";
const ANSWER_WITHIN_MS = 3_000;

/** The one that is given, else where the last one of this home was started. */
export function gatewayUrl({ env, userHome }: Machine, given: string | undefined): string {
  const last = readIfReadable(homePaths(env, userHome).gatewayAddress)?.trim();
  return new URL(httpUrl("url", given ?? (last || `http://${DEFAULT_BIND}`))).origin;
}

/** It may be at an address that cannot be asked from here, but it holds its ledger. */
export const isGatewayRunning = ({ env, userHome, host }: Machine): boolean =>
  lockHolder(`${homePaths(env, userHome).gatewayLedger}/.lock`, { host })?.dead === false;

/** Undefined when one answers. */
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
    for await (const _chunk of body); // read whole, so that the connection can be closed
    return status === 200 ? undefined : `it answers with status ${status}`;
  } catch (error) {
    return ending.signal.aborted ? "it does not answer" : (error as Error).message.replace(/\.$/, "");
  } finally {
    timer.cancel();
  }
}
