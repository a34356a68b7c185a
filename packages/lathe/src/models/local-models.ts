// The models of local servers, which are asked with a short deadline and remembered for a while in a small file. Only
// the server's answer is kept; the user's overrides are applied each time.

import { join } from "node:path";
import { type ClientDeps, type Discovery, discover, type LocalServer } from "@lathe/llm";
import { readJsonFile, updateJsonFile } from "../platform/home/json-file.ts";

export interface LocalOptions {
  readonly deps: ClientDeps;
  /** The cache folder. */
  readonly cache: string;
  /** The key to send to a server of this provider, if any. */
  readonly keyOf?: (provider: string) => Promise<string | undefined>;
  /** Asks even if an answer is remembered. */
  readonly fresh?: boolean;
}

interface CachedServer extends LocalServer {
  /** A hash of everything the answer depends on besides the server itself. */
  readonly fingerprint: string;
  readonly at: number;
}

type Cache = Readonly<Record<string, CachedServer>>;

const CAP_MS = 1_000;
const WINDOW_MS = 5 * 60_000;

/**
 * The models that the servers offer, in the order of the servers. A server that does not answer is skipped, and the
 * next call does not wait for it either.
 */
export async function localModels(
  servers: readonly Discovery[],
  options: LocalOptions,
): Promise<readonly LocalServer[]> {
  const { deps } = options;
  const file = join(options.cache, "local-models.json");
  const cache = options.fresh ? {} : readRemembered(file);
  const learned: Record<string, CachedServer> = {};
  const found = await Promise.all(
    servers.map(async (server): Promise<LocalServer | undefined> => {
      const fingerprint = fingerprintOf(server, deps.env);
      const known = cache[server.provider];
      if (known?.fingerprint === fingerprint && deps.now() - known.at < WINDOW_MS) return known;
      const { provider, type, baseUrl } = server;
      const apiKey = await options.keyOf?.(provider);
      const answer = await discover(type, {
        deps,
        provider,
        timeoutMs: CAP_MS,
        ...(apiKey === undefined ? {} : { apiKey }),
        ...(baseUrl === undefined ? {} : { baseUrl }),
      });
      if (answer) learned[provider] = { ...answer, fingerprint, at: deps.now() };
      return answer;
    }),
  );
  if (Object.keys(learned).length > 0) await remember(file, learned);
  return found.filter((server) => server !== undefined);
}

/** The version changes with our catalog and with the format of a row. */
function fingerprintOf({ type, baseUrl }: Discovery, env: ClientDeps["env"]): string {
  const variables = [
    "OLLAMA_BASE_URL",
    "OLLAMA_HOST",
    "LLAMA_CPP_BASE_URL",
    "LM_STUDIO_BASE_URL",
    "VLLM_BASE_URL",
    "OLLAMA_CONTEXT_LENGTH",
  ];
  return JSON.stringify([LATHE_VERSION, type, baseUrl, ...variables.map((name) => env[name])]);
}

function readRemembered(file: string): Cache {
  try {
    const value = readJsonFile(file);
    return value && typeof value === "object" ? (value as Cache) : {};
  } catch {
    return {}; // an unreadable cache counts as empty
  }
}

async function remember(file: string, learned: Cache): Promise<void> {
  // If the home directory cannot be written, the run continues: this is only a cache.
  await updateJsonFile(file, async () => ({ ...readRemembered(file), ...learned })).catch(() => undefined);
}
