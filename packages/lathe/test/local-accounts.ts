// The accounts of a credentials file, for tests that need no workspace.

import { LocalAccounts } from "../src/config/credentials/local-source.ts";
import type { OAuthContext } from "../src/config/credentials/oauth/refresh.ts";
import { AccountStandings } from "../src/config/credentials/standings.ts";
import type { CredentialStore } from "../src/config/credentials/store.ts";

export const localAccounts = (store: CredentialStore, oauth: OAuthContext, cache: string): LocalAccounts =>
  new LocalAccounts({
    store,
    oauth,
    standings: async () =>
      new AccountStandings({ file: cache, now: oauth.now, random: () => 0.5, askUsage: async () => undefined }),
  });
