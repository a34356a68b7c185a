// Models of local servers: asked with a short deadline, remembered for a while in a small file. Only what a server said
// is kept; the user's overrides are applied each time.

import { join } from "node:path";
import { type ClientDeps, type Discovery, discover, type LocalServer } from "@lathe/llm";
import { readJsonFile, updateJsonFile } from "../platform/home/json-file.ts";

export interface LocalOptions {
  readonly deps: ClientDeps;
  /** Folder of the cache. */
  readonly cache: string;
  /** The key a server of this provider gets, if any. */
  readonly keyOf?: (provider: string) => Promise<string | undefined>;
  /** Ask, whatever is remembered. */
  readonly fresh?: boolean;
}

interface CachedServer extends LocalServer {
  /** A hash of everything an answer depends on besides the server itself. */
  readonly fingerprint: string;
  readonly at: number;
}

type Cache = Readonly<Record<string, CachedServer>>;

const CAP_MS = 1_000;
const WINDOW_MS = 5 * 60_000;

/** What the servers offer, in their order. A server that does not answer is skipped and costs nothing next time either. */
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

/** The version stands for our catalog and for the shape of a row. */
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
    return {}; // a cache that cannot be read is an empty one
  }
}

async function remember(file: string, learned: Cache): Promise<void> {
  // A home that cannot be written to must not stop a run that only wanted to remember.
  await updateJsonFile(file, async () => ({ ...readRemembered(file), ...learned })).catch(() => undefined);
}
