// Which account of a provider a session uses, according to its journal and the user's environment.

import type { JournalReader } from "@lathe/agent/contract";
import { type AccountChoice, AccountChoices } from "../config/credentials/accounts/choices.ts";
import { rankingMode } from "../config/credentials/accounts/ranking.ts";
import type { SecretWorkspace } from "./credentials.ts";

/** Type of the journal entry, in sessions whose provider has several accounts. */
export const ACCOUNT_CHOICE = "account_choice";

/** Time limit for the usage pages of all accounts together, before the first request. */
const PATIENCE_MS = 2_000;

/**
 * `journal` is the session's. Without one, this shows the choice of a session that would start now, and no vendor is
 * asked.
 */
export function accountChoicesFor(workspace: SecretWorkspace, journal?: JournalReader): AccountChoices {
  const { deps, credentialDeps = deps } = workspace.machine;
  return new AccountChoices({
    source: workspace.accounts(),
    mode: rankingMode(workspace.userEnv["LATHE_CREDENTIAL_RANKING_MODE"]),
    now: credentialDeps.now,
    earlier: (provider) => journal && lastChoice(journal, provider),
    patience: () => (journal ? AbortSignal.timeout(PATIENCE_MS) : AbortSignal.abort()),
  });
}

function lastChoice(journal: JournalReader, provider: string): AccountChoice | undefined {
  let last: AccountChoice | undefined;
  for (const id of journal.entryIds()) {
    if (journal.meta(id)?.type !== "custom") continue;
    const entry = journal.entry(id);
    if (entry.type !== "custom" || entry.customType !== ACCOUNT_CHOICE) continue;
    const choice = Object(entry.data) as AccountChoice;
    if (choice.provider === provider) last = choice;
  }
  return last;
}
