// Whether the gateway's own credentials work: found and readable, and with `strict` each tried with the smallest request.

import { Message, messageOf } from "@lathe/llm";
import { resolveCredential } from "../../../config/credentials/resolve.ts";
import { connect, type ModelWorkspace } from "../../../models/connect.ts";
import { credentialQuery, credentialSources, hasOwnChain } from "../../../models/credentials.ts";
import type { GatewayModels } from "./gateway-models.ts";

export interface CheckedCredential {
  readonly provider: string;
  /** Where it comes from, never the secret. */
  readonly source: string;
  readonly ok: boolean;
  readonly problem?: string;
}

const MOST_TOKENS = 16;
const TRY_WITHIN_MS = 60_000;

export async function checkCredentials(
  workspace: ModelWorkspace,
  models: GatewayModels,
  isStrict: boolean,
): Promise<readonly CheckedCredential[]> {
  const providers = [...new Set(models.list(undefined).map(({ provider }) => provider))];
  return Promise.all(providers.map((provider) => checkOne(workspace, models, { provider, isStrict })));
}

async function checkOne(
  workspace: ModelWorkspace,
  models: GatewayModels,
  { provider, isStrict }: { readonly provider: string; readonly isStrict: boolean },
): Promise<CheckedCredential> {
  const config = (await workspace.models()).configOf(provider);
  let source = hasOwnChain(provider) ? "the cloud's own chain" : "none";
  try {
    const found = await resolveCredential(
      credentialQuery(provider, workspace.env, config),
      credentialSources(workspace),
    );
    source = found?.source ?? source;
    if (isStrict) await tryOut(workspace, models, provider);
    return { provider, source, ok: true };
  } catch (error) {
    return { provider, source, ok: false, problem: workspace.redactor.text(messageOf(error)) };
  }
}

/** The cheapest model of the provider says one word. */
async function tryOut(workspace: ModelWorkspace, models: GatewayModels, provider: string): Promise<void> {
  const own = models.list(undefined).filter((model) => model.provider === provider);
  const [cheapest] = [...own].sort((a, b) => (a.cost?.output ?? 0) - (b.cost?.output ?? 0));
  if (cheapest === undefined) return;
  const adapter = await connect(workspace, { provider, id: cheapest.id, info: cheapest }, { websocket: "off" });
  const ending = new AbortController();
  const timer = workspace.machine.deps.setTimer(() => ending.abort(), TRY_WITHIN_MS);
  try {
    await adapter.complete(
      { model: cheapest.id, messages: [Message.user("Say OK.")], maxTokens: MOST_TOKENS },
      { signal: ending.signal },
    );
  } finally {
    timer.cancel();
  }
}
