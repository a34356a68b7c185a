// The client that high-level calls use by default: the only module state of this package.

import { Client } from "./client.ts";

let current: Client | undefined;

/** Sets the client of calls that are given none; undefined: made from the environment again. */
export function setDefaultClient(client: Client | undefined): void {
  current = client;
}

/** Made from the environment on first use. */
export function getDefaultClient(): Client {
  current ??= Client.fromEnv();
  return current;
}
