// What is stored, signed in or removed while a session or a server lasts takes effect at once.

import type { CredentialSource } from "../config/credentials/source.ts";
import type { Models } from "./models.ts";

/** `onLost`: a provider has lost its last account. Returns how to end it. */
export function followAccounts(
  models: Models,
  accounts: CredentialSource,
  onLost: (provider: string) => void = () => {},
): () => void {
  const removed = async (provider: string): Promise<void> => {
    if ((await accounts.accounts(provider)).length > 0) return;
    models.credentialDeleted(provider);
    onLost(provider);
  };
  return accounts.subscribe(({ kind, provider }) => {
    if (kind === "changed") models.credentialStored(provider);
    // Where accounts cannot be listed, the next request says why.
    else removed(provider).catch(() => undefined);
  });
}
