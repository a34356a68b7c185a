// From what the user typed to a model that can be called: selector, catalog row, credential, adapter.

import { builtinCatalog, clampLevel, isThinkingLevel, type ModelInfo, type ProviderAdapter } from "@lathe/llm";
import { createProvider, findRow, type ProviderRow, providerRows } from "@lathe/llm/providers";
import { CliError, EXIT, usageError } from "../cli/exit.ts";
import { nearest } from "../cli/nearest.ts";
import { PRACTICE_PROVIDER, practiceAdapter } from "../practice/adapter.ts";
import { credentialOf, credentialSources } from "./credentials.ts";
import type { Workspace } from "./workspace.ts";

export interface ModelChoice {
  readonly provider: string;
  readonly id: string;
  /** Already within what the model offers. */
  readonly effort?: string;
  readonly info?: ModelInfo;
}

export interface ModelOverrides {
  readonly apiKey?: string;
  readonly baseUrl?: string;
}

/** `provider/id[:effort]`, or an id that the catalog knows. */
export function chooseModel(workspace: Workspace, selector: string): ModelChoice {
  const { name, effort } = splitEffort(selector);
  const wish = effort ?? (workspace.settings.defaultThinkingLevel || undefined);
  const slash = name.indexOf("/");
  const found = slash > 0 ? byProvider(name.slice(0, slash), name.slice(slash + 1)) : byId(name);
  const level = wish === undefined ? undefined : clampLevel(found.info?.thinking, wish);
  return { ...found, ...(level === undefined ? {} : { effort: level }) };
}

function byProvider(provider: string, id: string): ModelChoice {
  if (id === "") throw usageError(`"${provider}/" names no model. Give provider/id, or see: lathe models ${provider}`);
  if (provider === PRACTICE_PROVIDER) return { provider, id };
  const row = findRow(provider);
  if (!row) {
    const guess = nearest(
      provider,
      providerRows.map((candidate) => candidate.id),
    );
    throw usageError(`Unknown provider "${provider}".${guess ? ` Did you mean ${guess}?` : ""} See: lathe models`);
  }
  const info = builtinCatalog.get(row.id, id);
  return { provider: row.id, id, ...(info ? { info } : {}) };
}

function byId(id: string): ModelChoice {
  const info = builtinCatalog.find(id);
  if (!info) throw usageError(`Unknown model "${id}". Give it as provider/id, or see: lathe models`);
  return { provider: info.provider, id: info.id, info };
}

function splitEffort(selector: string): { name: string; effort?: string } {
  const colon = selector.lastIndexOf(":");
  const suffix = selector.slice(colon + 1);
  return colon > 0 && isThinkingLevel(suffix) ? { name: selector.slice(0, colon), effort: suffix } : { name: selector };
}

/** The adapter of a choice. Without a credential it fails here, before anything is sent. */
export async function connect(
  workspace: Workspace,
  choice: ModelChoice,
  overrides: ModelOverrides = {},
): Promise<ProviderAdapter> {
  if (choice.provider === PRACTICE_PROVIDER) return practiceAdapter();
  const row = findRow(choice.provider);
  if (!row) throw usageError(`Unknown provider "${choice.provider}". See: lathe models`);
  const { deps } = workspace.machine;
  const runKey = overrides.apiKey === undefined ? undefined : { provider: row.id, key: overrides.apiKey };
  const sources = credentialSources(workspace, runKey);
  const credential = row.auth === "aws" || row.auth === "vertex" ? undefined : await credentialOf(row, sources);
  if (!credential && row.auth !== "aws" && row.auth !== "vertex") throw noCredential(row);
  const timeouts = workspace.settings;
  return createProvider(row.id, {
    deps: { ...deps, env: workspace.env },
    ...(overrides.baseUrl === undefined ? {} : { baseUrl: overrides.baseUrl }),
    ...(credential ? { resolveKey: () => credentialOf(row, sources) } : {}),
    ...(workspace.settings.cacheRetention === "" ? {} : { cacheRetention: workspace.settings.cacheRetention }),
    timeout: row.discovery
      ? { firstEvent: 0, streamRead: 0 }
      : { firstEvent: timeouts["timeouts.firstEvent"], streamRead: timeouts["timeouts.stall"] },
    userAgent: `lathe/${LATHE_VERSION}`,
  });
}

function noCredential(row: ProviderRow): CliError {
  const variable = row.keyEnv[0];
  return new CliError(
    EXIT.provider,
    `No credential for ${row.name}. ${variable ? `Set ${variable}, or run` : "Run"}: lathe login ${row.id}`,
  );
}
