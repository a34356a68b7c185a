// Checks the gateway's own credentials: found, readable and not used up; with `strict`, each is tried with a minimal
// request.

import { Message, messageOf } from "@lathe/llm";
import { describeAccount, resolveCredential } from "../../../config/credentials/resolve.ts";
import type { AccountInfo, CredentialSource, UsageWindow } from "../../../config/credentials/source.ts";
import { connect, type ModelWorkspace } from "../../../models/connect.ts";
import { credentialQuery, credentialSources, hasOwnChain } from "../../../models/credentials.ts";
import { type GatewayModels, gatewayDeps } from "./gateway-models.ts";

export interface CheckedCredential {
  readonly provider: string;
  /** Where it comes from, never the secret. */
  readonly source: string;
  readonly ok: boolean;
  readonly problem?: string;
  /** Usage as the vendor reports it. */
  readonly usage?: readonly UsageWindow[];
}

interface Checking {
  readonly workspace: ModelWorkspace;
  readonly models: GatewayModels;
  readonly isStrict: boolean;
}

const MOST_TOKENS = 16;
const WITHIN_MS = 60_000;

export async function checkCredentials(
  workspace: ModelWorkspace,
  models: GatewayModels,
  isStrict: boolean,
): Promise<readonly CheckedCredential[]> {
  const checking = { workspace, models, isStrict };
  const offered = models.list(undefined).map(({ provider }) => provider);
  const providers = [...new Set([...offered, ...(await workspace.accounts().providers())])];
  return (await Promise.all(providers.map((provider) => checkProvider(provider, checking)))).flat();
}

async function checkProvider(provider: string, checking: Checking): Promise<readonly CheckedCredential[]> {
  const { workspace } = checking;
  const source = workspace.accounts();
  const accounts = await source.accounts(provider);
  if (accounts.length === 0) return [await checkFound(provider, checking)];
  return Promise.all(
    accounts.map(async (account): Promise<CheckedCredential> => {
      const only = { ...checking, workspace: { ...workspace, accounts: () => onlyAccount(source, account) } };
      const checked = await checkFound(provider, only);
      const ending = AbortSignal.timeout(WITHIN_MS);
      const { usage, limit } = await source.standing(account, ending);
      return {
        ...checked,
        source: describeAccount(account, workspace.machine.deps.now()),
        ...(usage === undefined ? {} : { usage: usage.windows }),
        ...(limit === undefined || !checked.ok ? {} : { ok: false, problem: limitText(limit) }),
      };
    }),
  );
}

const limitText = ({ reason, until }: { readonly reason: string; readonly until: number }): string =>
  `${reason}, until ${new Date(until).toISOString()}`;

async function checkFound(provider: string, checking: Checking): Promise<CheckedCredential> {
  const { workspace, isStrict } = checking;
  const config = (await workspace.models()).configOf(provider);
  let source = hasOwnChain(provider) ? "the cloud's own chain" : "none";
  try {
    const query = credentialQuery(provider, workspace.env, config);
    source = (await resolveCredential(query, credentialSources(workspace)))?.source ?? source;
    if (isStrict) await tryOut(provider, checking);
    return { provider, source, ok: true };
  } catch (error) {
    return { provider, source, ok: false, problem: workspace.redactor.text(messageOf(error)) };
  }
}

/** Sends a minimal prompt to the provider's cheapest model. */
async function tryOut(provider: string, { workspace, models }: Checking): Promise<void> {
  const own = models.list(undefined).filter((model) => model.provider === provider);
  const [cheapest] = [...own].sort((a, b) => (a.cost?.output ?? 0) - (b.cost?.output ?? 0));
  if (cheapest === undefined) return;
  const choice = { provider, id: cheapest.id, info: cheapest };
  const adapter = await connect(workspace, choice, { websocket: "off" }, gatewayDeps(workspace));
  const ending = new AbortController();
  const timer = workspace.machine.deps.setTimer(() => ending.abort(), WITHIN_MS);
  try {
    await adapter.complete(
      { model: cheapest.id, messages: [Message.user("Say OK.")], maxTokens: MOST_TOKENS },
      { signal: ending.signal },
    );
  } finally {
    timer.cancel();
  }
}

/** The source restricted to one account of its provider. */
function onlyAccount(source: CredentialSource, only: AccountInfo): CredentialSource {
  return {
    place: source.place,
    providers: () => source.providers(),
    accounts: async (provider) => (provider === only.provider ? [only] : source.accounts(provider)),
    secret: (account) => source.secret(account),
    refresh: (account) => source.refresh(account),
    report: (account, report) => source.report(account, report),
    standing: (account, signal) => source.standing(account, signal),
    subscribe: (listener) => source.subscribe(listener),
  };
}
