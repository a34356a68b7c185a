// The one way from a sandbox to the network: a proxy outside that knows the allowed hosts, and a bridge inside that leads to it.

import type { ProgramArgv } from "../../process/types.ts";

export interface NetworkDoor {
  /** The hosts as the settings write them. */
  readonly allowed: readonly string[];
  /** How programs inside learn of it. */
  readonly variables: Readonly<Record<string, string>>;
  /** Starts the proxy; returns the program that bridges to it from inside, and prints a line when it does. */
  open(folder: string): Promise<ProgramArgv>;
  close(): Promise<void>;
}
