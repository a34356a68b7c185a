// Assembles a gateway: the user's models and credentials, the client keys, the ledger.

import { mkdirSync } from "node:fs";
import { JournalError } from "@lathe/agent";
import { acquireLock, type JournalLock, type LockOwner, processStartTime } from "@lathe/agent/record";
import { signInCommand } from "../../config/credentials/source.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { accountChoicesFor } from "../../models/account-choices.ts";
import { type ListedStoredAccount, listStoredAccounts } from "../../models/account-list.ts";
import { followAccounts } from "../../models/follow-accounts.ts";
import { homePaths } from "../../platform/home/paths.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { CliError, EXIT, usageError } from "../../platform/usage/exit.ts";
import { countOf } from "../../sessions/numbers.ts";
import { Attempts } from "../http/attempts.ts";
import type { RunningServer } from "../http/guarded.ts";
import type { Limits, Tls } from "../http/listen.ts";
import type { OwnToken } from "../http/own-token.ts";
import { RequestWindow } from "./fair/request-window.ts";
import { Turnstile } from "./fair/turnstile.ts";
import type { KeyFile } from "./keys/key-file.ts";
import { checkCredentials } from "./models/check-credentials.ts";
import { GatewayModels, providerOfAccount } from "./models/gateway-models.ts";
import { Books } from "./money/books.ts";
import { BodyRoom } from "./server/body-room.ts";
import { Callers } from "./server/callers.ts";
import { startGateway } from "./server/gateway.ts";
import type { GatewayParts } from "./server/parts.ts";
import type { LoggedRequest } from "./server/request-log.ts";

export interface OpenGatewayOptions {
  readonly machine: Machine;
  readonly workspace: SessionWorkspace;
  readonly version: string;
  readonly host: string;
  readonly port: number;
  readonly tls?: Tls | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly needsKey: boolean;
  readonly own: OwnToken;
  readonly keys: KeyFile;
  readonly log: (request: LoggedRequest) => void;
  readonly warn: (message: string) => void;
}

/** A power failure loses at most the settlements of this interval; their reservations then count in full. */
const SYNC_MS = 1_000;

export async function openGateway(options: OpenGatewayOptions): Promise<RunningServer> {
  const { machine, keys, log, warn } = options;
  // All clients share one account until it reaches its limit; then the next account takes over.
  const workspace = { ...options.workspace, accountChoices: accountChoicesFor(options.workspace) };
  const { now, setTimer, uuid } = machine.deps;
  const models = await workspace.models();
  await models.discover();
  const offered = new GatewayModels(workspace, models);
  if (offered.list(undefined).length === 0)
    throw new CliError(
      EXIT.provider,
      `The gateway has no credential to work with. Set a key such as ANTHROPIC_API_KEY, or run: ${signInCommand(workspace.accounts().place)} <provider>`,
    );
  const newId = (): string => uuid().replaceAll("-", "");
  const { books, release } = openBooks(machine, keys, newId);
  if (books.damaged > 0)
    warn(
      `${countOf(books.damaged, "line")} of the ledger could not be read and is missing from the budgets. The ledger is in ${homePaths(machine.env, machine.userHome).gatewayLedger}.`,
    );
  if (books.unsettled > 0)
    warn(
      `${countOf(books.unsettled, "unfinished request")} of the previous gateway: counted at the most that may have been charged.`,
    );
  const { settings } = workspace;
  const parts: GatewayParts = {
    callers: new Callers({
      isOwnToken: (given) => options.own.isToken(given),
      keys,
      attempts: new Attempts(now),
      needsKey: options.needsKey,
    }),
    keys,
    models: offered,
    books,
    turnstile: new Turnstile({
      now,
      setTimer,
      limitsOf: (account) => ({
        requests: settings["gateway.requestsPerMinute"][providerOfAccount(account)],
        tokens: settings["gateway.tokensPerMinute"][providerOfAccount(account)],
      }),
      waitMs: settings["gateway.maxWaitMs"],
    }),
    rates: new RequestWindow(now),
    room: new BodyRoom(),
    standings: () => standingsOf(workspace),
    checkCredentials: (isStrict) => checkCredentials(workspace, offered, isStrict),
    log,
    warn: warnOnce((message) => warn(workspace.redactor.text(message))),
    now,
    newId,
    setTimer,
  };
  const syncing = syncOften(books, { setTimer, warn });
  // An account added while the gateway runs is used at once.
  const forget = (): void => offered.forgetNames();
  const unfollow = followAccounts(models, workspace.accounts(), forget);
  const unsubscribe = workspace.accounts().subscribe(forget);
  const end = (): void => {
    unsubscribe();
    unfollow();
    syncing.cancel();
    books.close();
    release();
  };
  try {
    const server = await startGateway({ ...options, parts });
    return {
      url: server.url,
      close: async () => {
        await server.close();
        end();
      },
    };
  } catch (error) {
    end();
    throw error;
  }
}

/** A problem of every request is reported only once. */
function warnOnce(warn: (message: string) => void): (message: string) => void {
  let last = "";
  return (message) => {
    if (message !== last) warn(message);
    last = message;
  };
}

async function standingsOf(workspace: SessionWorkspace): Promise<readonly ListedStoredAccount[]> {
  const source = workspace.accounts();
  const now = workspace.machine.deps.now();
  const listed = (await source.providers()).map((provider) => {
    const used = workspace.accountChoices?.current(provider)?.id;
    return listStoredAccounts(source, provider, { asksUsage: true, used, now });
  });
  return (await Promise.all(listed)).flat();
}

/** Only one gateway may write to a ledger: a second one would spend the same money again. */
function openBooks(
  { env, userHome, deps, pid, host }: Machine,
  keys: KeyFile,
  newId: () => string,
): { readonly books: Books; readonly release: () => void } {
  const { gatewayLedger: folder } = homePaths(env, userHome);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = lockOf(`${folder}/.lock`, { pid, host, startTime: processStartTime(pid), token: deps.uuid() });
  try {
    const books = new Books({
      folder,
      now: deps.now,
      newId,
      periodOf: (id) => keys.periodOf(id),
    });
    return { books, release: () => lock.release() };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function lockOf(path: string, owner: LockOwner): JournalLock {
  try {
    return acquireLock(path, owner);
  } catch (error) {
    if (!(error instanceof JournalError) || error.code !== "locked") throw error;
    throw usageError("Another gateway of this home is running. See: lathe auth-gateway status");
  }
}

function syncOften(books: Books, { setTimer, warn }: Pick<GatewayParts, "setTimer" | "warn">): { cancel(): void } {
  const sync = (): void => {
    timer = setTimer(sync, SYNC_MS);
    books
      .sync()
      .catch((error: unknown) => warn(`The ledger cannot be written to the disk: ${(error as Error).message}`));
  };
  let timer = setTimer(sync, SYNC_MS);
  return { cancel: () => timer.cancel() };
}
