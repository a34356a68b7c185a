// The stored accounts of a provider, as shown to users and programs: what each is, and its remaining limits.

import { describeAccount } from "../config/credentials/resolve.ts";
import type { AccountInfo, AccountStanding, CredentialSource } from "../config/credentials/source.ts";
import { momentText } from "../platform/usage/moments.ts";

/** It holds no secret. */
export interface ListedStoredAccount extends AccountInfo, AccountStanding {
  readonly description: string;
  /** Whether a session that starts now would use it. */
  readonly isUsed: boolean;
  /** The remaining limits as text; absent if nothing is known. */
  readonly left?: string;
}

export async function listStoredAccounts(
  source: CredentialSource,
  provider: string,
  { asksUsage, used, now }: { readonly asksUsage: boolean; readonly used: string | undefined; readonly now: number },
): Promise<readonly ListedStoredAccount[]> {
  // With an aborted signal the source returns what it knows, without asking.
  const signal = asksUsage ? undefined : AbortSignal.abort();
  const listed: ListedStoredAccount[] = [];
  for (const account of await source.accounts(provider)) {
    const standing = await source.standing(account, signal);
    const left = leftText(standing);
    listed.push({
      ...account,
      ...standing,
      description: describeAccount(account, now),
      isUsed: account.id === used,
      ...(left === undefined ? {} : { left }),
    });
  }
  return listed;
}

function leftText({ limit, usage, rateLimit }: AccountStanding): string | undefined {
  const windows = (usage ?? rateLimit)?.windows ?? [];
  const shares = windows.map(({ name, used, resetsAt }) => {
    const reset = resetsAt === undefined ? "" : `, resets ${momentText(resetsAt)}`;
    return `${Math.round(used * 100)} % of ${name} used${reset}`;
  });
  const limited = limit === undefined ? [] : [`${limit.reason}, until ${momentText(limit.until)}`];
  const said = [...limited, ...shares];
  return said.length === 0 ? undefined : said.join("; ");
}
