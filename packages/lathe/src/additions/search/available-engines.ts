// The engines that are available, in order: the configured one, the model vendor's own, those with a key, the keyless
// one. Finding out neither resolves a secret nor sends anything.

import {
  type CredentialQuery,
  type CredentialSources,
  type FoundCredential,
  findCredential,
} from "../../config/credentials/resolve.ts";
import { SEARCH_ENGINES, type SearchEngineId, type SearchEngineRow } from "../../config/credentials/search-engines.ts";
import type { ModelWorkspace } from "../../models/connect.ts";
import { credentialQuery, credentialSources, type RunKey } from "../../models/credentials.ts";
import { baseUrlOf } from "./base-url.ts";

export interface AvailableEngine {
  readonly row: SearchEngineRow & { readonly id: SearchEngineId };
  readonly baseUrl: string;
  /** Whether the user configured the address. */
  readonly isOwnUrl: boolean;
  /** Why it cannot be used at this address. */
  readonly problem?: string | undefined;
  /** Undefined if it needs none. */
  readonly credential: CredentialQuery | undefined;
  /** The origin of its credential, for messages. */
  readonly source: string;
  readonly sources: CredentialSources;
}

interface ModelInUse {
  /** The provider of the conversation's model. */
  readonly provider: string;
  readonly runKey?: RunKey | undefined;
  readonly baseUrl?: string | undefined;
}

export async function availableEngines(
  workspace: ModelWorkspace,
  { provider, runKey, baseUrl }: ModelInUse,
): Promise<readonly AvailableEngine[]> {
  const { settings, env, userEnv } = workspace;
  const models = await workspace.models();
  const sources = credentialSources(workspace, runKey);
  const wanted = settings["providers.webSearch"];
  const found: AvailableEngine[] = [];
  for (const row of SEARCH_ENGINES as readonly AvailableEngine["row"][]) {
    const isWanted = row.id === wanted;
    if (row.id === "exa" && !isWanted && !(settings["exa.enabled"] && settings["exa.enableSearch"])) continue;
    const place = baseUrlOf(row, {
      env: userEnv,
      endpoint: settings["searxng.endpoint"],
      configuredUrl: (account) =>
        (account === runKey?.provider ? baseUrl : undefined) ?? models.ownConfigOf(account)?.baseUrl,
    });
    if (place === undefined) continue;
    const queries = queriesOf(row, env, (account) => models.ownConfigOf(account));
    const credential = await firstFound(queries, sources);
    const needsNoKey = row.isKeyless || row.id === "searxng" || (row.id === "exa" && isWanted);
    if (!credential && !needsNoKey) continue;
    const source = credential?.found.source ?? "no key needed";
    found.push({ row, ...place, credential: credential?.query, source, sources });
  }
  const isVendors = ({ row }: AvailableEngine): boolean =>
    [...(row.accounts ?? []), ...(row.models ?? [])].includes(provider);
  const rank = (engine: AvailableEngine): number => (engine.row.id === wanted ? 0 : isVendors(engine) ? 1 : 2);
  return found.sort((a, b) => rank(a) - rank(b));
}

/** The places to look for its key; the first with a key wins. */
function queriesOf(
  { id, searchKeyEnv = [], accounts = [id] }: SearchEngineRow,
  env: ModelWorkspace["env"],
  configOf: (account: string) => Parameters<typeof credentialQuery>[2],
): readonly CredentialQuery[] {
  return [
    // Only variables are searched: no credential is stored under this name.
    ...(searchKeyEnv.length > 0 ? [{ provider: `${id}-search`, envNames: searchKeyEnv }] : []),
    ...accounts.map((account) => credentialQuery(account, env, configOf(account))),
  ];
}

async function firstFound(
  queries: readonly CredentialQuery[],
  sources: CredentialSources,
): Promise<{ query: CredentialQuery; found: FoundCredential } | undefined> {
  for (const query of queries) {
    const found = await findCredential(query, sources);
    if (found && found.kind !== "none") return { query, found };
  }
  return undefined;
}
