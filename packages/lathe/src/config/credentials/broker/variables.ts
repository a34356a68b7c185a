// The variables that configure a broker. They come from the user's environment and .env files, never from a project's.

export const BROKER_URL = "LATHE_AUTH_BROKER_URL";
export const BROKER_TOKEN = "LATHE_AUTH_BROKER_TOKEN";
export const CACHE_TTL = "LATHE_AUTH_BROKER_SNAPSHOT_TTL_MS";
export const CACHE_FILE = "LATHE_AUTH_BROKER_SNAPSHOT_CACHE";

export const BROKER_VARIABLES = [BROKER_URL, BROKER_TOKEN, CACHE_TTL, CACHE_FILE] as const;

/** The environment of a run that must not use a broker. */
export function withoutBroker(env: Readonly<Record<string, string | undefined>>): typeof env {
  const left = Object.entries(env).filter(([name]) => !(BROKER_VARIABLES as readonly string[]).includes(name));
  return Object.fromEntries(left);
}
