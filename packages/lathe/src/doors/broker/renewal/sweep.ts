// Renews tokens that are about to expire; checks once a minute.

import type { OAuthRow } from "../../../config/credentials/oauth/rows.ts";
import type { OpenAccount } from "../../../config/credentials/store.ts";
import type { SetTimer } from "../../http/live-response.ts";
import type { RenewalNotes } from "./renewal-notes.ts";
import type { Renewals } from "./renewals.ts";

const EVERY_MS = 60_000;
const BEFORE_END_MS = 5 * 60_000;

export interface SweepParts {
  readonly accounts: () => Promise<readonly OpenAccount[]>;
  readonly rows: () => Promise<readonly OAuthRow[]>;
  readonly renewals: Renewals;
  readonly notes: RenewalNotes;
  readonly now: () => number;
  readonly setTimer: SetTimer;
  readonly warn: (message: string) => void;
}

/** Starts at once, since tokens may have expired while the broker was off. */
export function sweepOften(parts: SweepParts): { cancel(): void } {
  const { setTimer, warn } = parts;
  const go = (): void => {
    timer = setTimer(go, EVERY_MS);
    sweep(parts).catch((error: unknown) => warn(`Tokens cannot be renewed: ${(error as Error).message}`));
  };
  let timer: { cancel(): void };
  go();
  return { cancel: () => timer.cancel() };
}

async function sweep({ accounts, rows, renewals, notes, now }: SweepParts): Promise<void> {
  const all = await accounts();
  const issuers = new Set((await rows()).map(({ provider }) => provider));
  const known = notes.all();
  const due = all.filter(({ info, credential }) => {
    if (info.disabled !== undefined || !info.isRenewable || !issuers.has(info.provider)) return false;
    if (credential.type !== "oauth") return false;
    // Retry a renewal that was cut off at once: some issuers accept the old token only for a short time.
    if (known[info.id]?.noteAsking !== undefined) return true;
    return credential.expires !== undefined && credential.expires - now() < BEFORE_END_MS;
  });
  await Promise.all(due.map(({ info }) => renewals.renew(info)));
  await notes.keepOnly(new Set(all.map(({ info }) => info.id)));
}
