// Journals which account of a provider the session uses, and warns when another account takes over.

import type { Middleware } from "@lathe/agent";
import type { AccountChoice, AccountLimit } from "../../config/credentials/accounts/choices.ts";
import type { AccountInfo } from "../../config/credentials/source.ts";
import { ACCOUNT_CHOICE } from "../../models/account-choices.ts";
import { followAccounts } from "../../models/follow-accounts.ts";
import { seconds } from "../../sessions/numbers.ts";
import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

type Base = Pick<SessionBase, "accounts" | "session" | "workspace" | "models">;

export async function accountsPart({ accounts, session, workspace, models }: Base): Promise<SessionPart> {
  const unkept: AccountChoice[] = [];
  const keep = (): undefined => {
    for (const choice of unkept.splice(0)) session.current.appendCustom(ACCOUNT_CHOICE, { ...choice });
  };
  accounts.follow((choice, from, limit) => {
    unkept.push(choice);
    if (from && limit) session.warn(takeOverText(choice, from, limit), "account_limit");
    // A session without entries leaves no file.
    if (session.isMade && session.current.journal.leaf !== null) keep();
  });
  const middleware: Middleware = {
    name: "accounts",
    onInput: keep,
    onFailure: () => (accounts.takeRetry() ? { retry: true } : undefined),
  };
  const source = workspace.accounts();
  const unfollow = followAccounts(await workspace.models(), source, (provider) => {
    if (source.place === "broker" && provider === models.current.provider)
      session.warn(`The broker has removed the last credential of ${provider}.`, "account_removed");
  });
  return {
    name: "accounts",
    middleware: [middleware],
    close: async () => {
      unfollow();
      await accounts.flush();
    },
  };
}

function takeOverText(
  { provider, name }: AccountChoice,
  from: AccountInfo,
  { kind, retryAfterMs }: AccountLimit,
): string {
  const wait = retryAfterMs === undefined ? "" : ` for the next ${seconds(retryAfterMs)}`;
  const what = kind === "quota" ? "has used up its quota" : `has reached its rate limit${wait}`;
  return `${provider}: the account "${from.name}" ${what}. The account "${name}" answers from here on.`;
}
