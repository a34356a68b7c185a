// The stored accounts of a provider, for people and programs: what each is, and how much of it is left.

import { describeAccount } from "../config/credentials/resolve.ts";
import type { AccountInfo, AccountStanding, CredentialSource } from "../config/credentials/source.ts";
import { momentText } from "../platform/usage/moments.ts";

/** Holds no secret. */
export interface ListedStoredAccount extends AccountInfo, AccountStanding {
  readonly description: string;
  /** A session that begins now would use it. */
  readonly isUsed: boolean;
  /** In words; absent where nothing is known. */
  readonly left?: string;
}

export async function listStoredAccounts(
  source: CredentialSource,
  provider: string,
  { asksUsage, used, now }: { readonly asksUsage: boolean; readonly used: string | undefined; readonly now: number },
): Promise<readonly ListedStoredAccount[]> {
  // An aborted signal: what is known, without asking.
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
