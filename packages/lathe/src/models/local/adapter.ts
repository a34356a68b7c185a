// The adapter of a local server: reads calls from text if the server refuses tools, and sends requests with a grammar
// through the API in which servers of its kind support one.

import { type ProviderAdapter, type Request, withTextCalls } from "@lathe/llm";
import { openProvider } from "@lathe/llm/open";
import { findRow, type ProviderOptions } from "@lathe/llm/providers";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { Models } from "../models.ts";
import { refusesTools } from "./local-facts.ts";
import guide from "./text-calls.md";

export interface LocalAdapterParts {
  readonly workspace: Pick<Workspace, "settings" | "machine" | "paths">;
  readonly models: Models;
  readonly provider: string;
  readonly options: ProviderOptions;
}

export function localAdapter(adapter: ProviderAdapter, parts: LocalAdapterParts): ProviderAdapter {
  const { workspace, models, provider } = parts;
  const { deps } = workspace.machine;
  const withGrammar = routeGrammars(adapter, parts);
  const wish = workspace.settings["localModels.calls"];
  if (wish === "native") return withGrammar;
  return withTextCalls(withGrammar, {
    guide,
    newId: deps.uuid,
    startsAsText: (id) => wish === "text" || isKnownToRefuse(models, provider, id, deps.now()),
    onRefused: (id) => {
      models.local.notice(
        `${provider} refuses tools for ${id}, so its calls are read from its text. ${ADVICE[kindOf(models, provider) ?? ""] ?? ""}`.trim(),
      );
      void models.local.learn(`${provider}/${id}`, { refusedTools: deps.now() });
    },
  });
}

/** Advice for the user, by kind of server. */
const ADVICE: Readonly<Record<string, string>> = {
  "llama.cpp": "Start llama-server with --jinja to use its own tools.",
  "openai-compatible": "Start vLLM with --enable-auto-tool-choice and --tool-call-parser to use its own tools.",
};

function isKnownToRefuse(models: Models, provider: string, id: string, now: number): boolean {
  if (models.registry.get(provider, id)?.supportsTools === false) return true;
  const fact = models.local.of(`${provider}/${id}`);
  return fact !== undefined && refusesTools(fact, now);
}

const kindOf = (models: Models, provider: string): string | undefined =>
  models.configOf(provider)?.discovery?.type ?? findRow(provider)?.discovery;

/**
 * Most of these servers support no grammar in Responses: Ollama takes one in its own API, the others in Chat
 * Completions.
 */
function routeGrammars(adapter: ProviderAdapter, { models, provider, options }: LocalAdapterParts): ProviderAdapter {
  const api = kindOf(models, provider) === "ollama" ? "ollama-chat" : "openai-completions";
  let opening: Promise<ProviderAdapter> | undefined;
  const grammarAdapter = (): Promise<ProviderAdapter> => {
    opening ??= openProvider(provider, { ...options, api });
    return opening;
  };
  const hasGrammar = ({ responseFormat }: Request): boolean => responseFormat?.type === "json_schema";
  return {
    ...adapter,
    complete: async (request, context) =>
      (hasGrammar(request) ? await grammarAdapter() : adapter).complete(request, context),
    close: async () => {
      await Promise.all([adapter.close?.(), opening?.then((opened) => opened.close?.())]);
    },
  };
}
