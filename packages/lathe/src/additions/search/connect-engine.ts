// Connects an engine for the tool: its requests go through the gate, within its deadline, and an error is one line.

import { abortAfter } from "@lathe/agent/base";
import {
  answerFailure,
  fetchJson,
  type JsonAnswer,
  type SearchAnswer,
  type SearchProvider,
  type SearchQuery,
  type WebGate,
} from "@lathe/agent/files";
import { isJsonObject, messageOf } from "@lathe/llm";
import { resolveCredential } from "../../config/credentials/resolve.ts";
import type { AvailableEngine } from "./available-engines.ts";
import { type Engine, EngineFailure, type EngineMeans, type EngineRequest, type SearxngSettings } from "./engine.ts";
import { exaWithoutKey } from "./engines/mcp.ts";
import { ENGINES } from "./engines.ts";

const USUAL_MS = 30_000;

export interface EngineSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly searxng: SearxngSettings;
  readonly now: () => number;
  readonly sleep: EngineMeans["sleep"];
  /** Whether the user chose or accepted the engine. */
  readonly isChosen: boolean;
  /** Replaces the engine's own deadline. */
  readonly timeoutMs?: number | undefined;
}

export function connectEngine(available: AvailableEngine, surroundings: EngineSurroundings): SearchProvider {
  const { row, baseUrl, isOwnUrl, credential, problem } = available;
  if (problem !== undefined)
    return {
      name: row.name,
      hosts: [],
      isChosen: surroundings.isChosen,
      search: () => Promise.reject(new EngineFailure(problem)),
    };
  const engine = row.id === "exa" && !credential ? exaWithoutKey : ENGINES[row.id];
  const otherUrl = isOwnUrl ? baseUrl : (row.otherUrl ?? baseUrl);
  const addresses = engine === exaWithoutKey ? [otherUrl] : row.isKeyless ? [baseUrl, otherUrl] : [baseUrl];
  return {
    name: row.name,
    hosts: [...new Set(addresses.map((url) => new URL(url).hostname))],
    isChosen: surroundings.isChosen,
    search: async (query, gate, signal) => {
      // Addresses in the user's own settings count as typed by the user.
      if (isOwnUrl) gate.openTyped(baseUrl);
      const answer = await withinDeadline(engine, { ...surroundings, name: row.name }, signal, async (inner) =>
        engine.search(query, await meansOf(available, { ...surroundings, otherUrl, gate, signal: inner })),
      );
      return withinLimit(answer, query);
    },
  };
}

/** Applies `limit`: not every engine takes a count, and some have a minimum. */
function withinLimit(answer: SearchAnswer, { limit, numSearchResults }: SearchQuery): SearchAnswer {
  const most = limit ?? numSearchResults;
  return most === undefined ? answer : { ...answer, sources: answer.sources.slice(0, Math.max(1, most)) };
}

async function withinDeadline<T>(
  { timeoutMs: own = USUAL_MS }: Engine,
  { timeoutMs: ms = own, name }: { timeoutMs?: number | undefined; name: string },
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const inner = abortAfter(ms, signal);
  try {
    return await work(inner);
  } catch (error) {
    signal.throwIfAborted();
    if (inner.aborted) throw new EngineFailure(`${name} did not answer in ${ms / 1000} seconds.`);
    throw error;
  }
}

interface Exchanges extends EngineSurroundings {
  readonly otherUrl: string;
  readonly gate: WebGate;
  readonly signal: AbortSignal;
}

async function meansOf(available: AvailableEngine, around: Exchanges): Promise<EngineMeans> {
  const { row, baseUrl, credential, sources } = available;
  const { env, signal } = around;
  const resolved = await resolveCredential(credential ?? { provider: row.id, envNames: [] }, sources).catch((error) => {
    throw new EngineFailure(messageOf(error));
  });
  const send = async (url: string, request: EngineRequest = {}): Promise<JsonAnswer> => {
    const answer = await fetchJson(around.gate, url, { ...asHttp(request), timeoutMs: USUAL_MS * 10 }, signal);
    if (answer.status >= 400) throw refusal(available, answer);
    return answer;
  };
  return {
    baseUrl,
    otherUrl: around.otherUrl,
    key: resolved?.value ?? "",
    isBearer: resolved?.kind === "bearer",
    model: env[`${row.id.toUpperCase()}_SEARCH_MODEL`]?.trim() || (row.model ?? ""),
    now: around.now,
    sleep: around.sleep,
    signal,
    searxng: around.searxng,
    send,
    json: async (url, request) => {
      const answer = await send(url, request);
      if (!isJsonObject(answer.value)) throw new EngineFailure(answerFailure(answer).message);
      return answer.value;
    },
  };
}

function asHttp({ headers = {}, json, form }: EngineRequest) {
  if (json)
    return { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(json) };
  if (!form) return { headers };
  const type = { "content-type": "application/x-www-form-urlencoded" };
  return { method: "POST", headers: { ...headers, ...type }, body: new URLSearchParams(form).toString() };
}

/** An error of a server in one line, with the next step. */
function refusal({ row, source }: AvailableEngine, answer: JsonAnswer): EngineFailure {
  const { status } = answer;
  const said = answerFailure(answer).message;
  if (row.id === "anthropic" && status === 404)
    return new EngineFailure("Anthropic web search returned 404 (model or endpoint not found).", status);
  // Z.AI itself explains problems with a subscription.
  if ((status !== 401 && status !== 403) || row.id === "zai") return new EngineFailure(said, status);
  return new EngineFailure(
    `${row.name} authorization failed (status ${status}). Check its credential: ${source}.`,
    status,
  );
}
