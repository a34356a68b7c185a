// The list for `lathe models`: every model with its price, its abilities, and the credential it would use.

import { expandModels, type ModelInfo, offeredLevels } from "@lathe/llm";
import { findCredential } from "../config/credentials/resolve.ts";
import { cloudSign, credentialQuery, credentialSources, type SecretWorkspace } from "./credentials.ts";
import { type Models, PRACTICE, PRACTICE_PROVIDER } from "./models.ts";

export interface ListedModel {
  readonly provider: string;
  readonly id: string;
  readonly name: string;
  /** The maker's id for the model, which is the same for every provider of it. */
  readonly canonical?: string;
  /** Size of the window; 0 if unknown. */
  readonly contextWindow: number;
  readonly maxOutput?: number;
  /** US dollars per million tokens. */
  readonly cost?: { readonly input: number; readonly output: number };
  readonly thinking: readonly string[];
  readonly vision: boolean;
  readonly tools: boolean;
  readonly available: boolean;
  /** Where the credential comes from. */
  readonly credential?: string;
}

export async function listModels(
  workspace: SecretWorkspace,
  models: Models,
  pattern: string | undefined,
): Promise<readonly ListedModel[]> {
  const { registry, disabled } = models;
  const { enabledModels } = workspace.settings;
  const expand = (patterns: readonly string[]) => expandModels(registry, patterns).map(({ model }) => model);
  const scope = enabledModels.length === 0 ? undefined : new Set(expand(enabledModels).map(keyOf));
  const wanted = pattern === undefined ? registry.all() : expand([pattern]);
  const shown = wanted.filter(
    (model) => !disabled.includes(model.provider) && (scope === undefined || scope.has(keyOf(model))),
  );
  const practice = practiceIn(pattern, enabledModels);
  const credentials = await credentialsOf(workspace, models, [...new Set(shown.map(({ provider }) => provider))]);
  const rows = shown.map((model): ListedModel => {
    const credential = credentials.get(model.provider);
    const canonical = registry.canonicalId(model);
    return {
      provider: model.provider,
      id: model.id,
      name: model.displayName,
      ...(canonical === undefined ? {} : { canonical }),
      contextWindow: model.contextWindow,
      ...(model.maxOutput === undefined ? {} : { maxOutput: model.maxOutput }),
      ...(model.cost === undefined ? {} : { cost: { input: model.cost.input, output: model.cost.output } }),
      thinking: model.supportsReasoning ? (offeredLevels(model.thinking) ?? ["on"]) : [],
      vision: model.supportsVision,
      tools: model.supportsTools,
      available: registry.isAvailable(model.provider),
      ...(credential === undefined ? {} : { credential }),
    };
  });
  return [...rows, ...practice];
}

const practiceRow: ListedModel = {
  provider: PRACTICE_PROVIDER,
  id: PRACTICE.slice(PRACTICE_PROVIDER.length + 1),
  name: "Practice model: scripted, offline",
  contextWindow: 0,
  cost: { input: 0, output: 0 },
  thinking: [],
  vision: false,
  tools: true,
  available: true,
  credential: "no key needed",
};

/** The practice model is not in the registry, so that no partial name ever selects it by accident. */
function practiceIn(pattern: string | undefined, scope: readonly string[]): readonly ListedModel[] {
  const fits = (wanted: string): boolean => {
    const glob = wanted.toLowerCase().replace(/[\\^$+?.()|[\]{}]/g, "\\$&");
    return wanted.includes("*")
      ? new RegExp(`^${glob.replaceAll("*", ".*")}$`).test(PRACTICE)
      : PRACTICE.includes(wanted.toLowerCase());
  };
  const isWanted = (pattern === undefined || fits(pattern)) && (scope.length === 0 || scope.some(fits));
  return isWanted ? [practiceRow] : [];
}

async function credentialsOf(
  workspace: SecretWorkspace,
  models: Models,
  providers: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const sources = credentialSources(workspace);
  const found = new Map<string, string>();
  for (const provider of providers) {
    const query = credentialQuery(provider, workspace.env, models.configOf(provider));
    const sign = cloudSign(provider, workspace.env);
    const source = (await findCredential(query, sources))?.source ?? (sign && `$${sign}`);
    if (source !== undefined) found.set(provider, source);
  }
  return found;
}

const keyOf = ({ provider, id }: ModelInfo): string => `${provider}/${id}`;
