// The client that high-level calls use by default: the only module state of this package.

import { Client } from "./client.ts";

let current: Client | undefined;

/** Sets the client for calls that specify none; undefined makes one from the environment again. */
export function setDefaultClient(client: Client | undefined): void {
  current = client;
}

/** The default client, made from the environment on first use. */
export function getDefaultClient(): Client {
  current ??= Client.fromEnv();
  return current;
}
