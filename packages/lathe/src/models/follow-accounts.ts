// Lets stored, renewed and removed accounts take effect at once in a running session or server.

import type { CredentialSource } from "../config/credentials/source.ts";
import type { Models } from "./models.ts";

/** `onLost` is called when a provider has lost its last account. Returns a function that stops following. */
export function followAccounts(
  models: Models,
  accounts: CredentialSource,
  onLost: (provider: string) => void = () => {},
): () => void {
  const onRemoved = async (provider: string): Promise<void> => {
    if ((await accounts.accounts(provider)).length > 0) return;
    models.noteDeletedCredential(provider);
    onLost(provider);
  };
  return accounts.subscribe(({ kind, provider }) => {
    if (kind === "changed") models.noteStoredCredential(provider);
    // If accounts cannot be listed, the next request says why.
    else onRemoved(provider).catch(() => undefined);
  });
}
