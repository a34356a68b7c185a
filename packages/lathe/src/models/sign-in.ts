// Signs in to an issuer. The host shows the address and can cancel.

import { signInWithDevice } from "../config/credentials/oauth/device.ts";
import { signInWithBrowser } from "../config/credentials/oauth/pkce.ts";
import { poster } from "../config/credentials/oauth/post.ts";
import type { OAuthRow } from "../config/credentials/oauth/rows.ts";
import type { StoredCredential } from "../config/credentials/store.ts";
import type { Machine } from "../platform/machine/machine.ts";
import { CliError, EXIT } from "../platform/usage/exit.ts";

export interface SignInPlace {
  show(line: string): void;
  /** How the user cancels, as the end of a sentence. */
  readonly cancels: string;
  /** Aborted when the user gives up. */
  readonly signal: AbortSignal;
  /** Lines that the user pastes, until the signal aborts; absent if the user cannot paste. */
  readonly pastedLines?: (signal: AbortSignal) => AsyncIterable<string>;
}

/** How long the user may take to sign in with a browser: the usual lifetime of a device code. */
const PATIENCE_MS = 10 * 60_000;

export async function signIn(
  row: OAuthRow,
  { deps }: Pick<Machine, "deps">,
  place: SignInPlace,
): Promise<StoredCredential> {
  const { show, cancels, signal, pastedLines: pasted } = place;
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
        show(`Open ${url}\nWaiting for you to sign in with your browser. ${cancels}`);
        if (pasted)
          show(
            "If the browser is on another machine and ends at a page it cannot open, paste that page's address here.",
          );
      },
      ...(pasted ? { pastedLines: pasted } : {}),
    });
  } catch (error) {
    if (signal.aborted) throw new CliError(EXIT.interrupted, "Signing in was cancelled.", { cause: error });
    if (error instanceof CliError) throw error;
    throw new CliError(EXIT.provider, `Signing in to ${row.label} failed: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
