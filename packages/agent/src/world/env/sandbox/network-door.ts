// The only way from a sandbox to the network: a proxy outside that knows the allowed hosts, and a bridge inside that
// leads to it.

import type { ProgramArgv } from "../../process/types.ts";

export interface NetworkDoor {
  /** The hosts as written in the settings. */
  readonly allowed: readonly string[];
  /** The variables that tell programs inside about it. */
  readonly variables: Readonly<Record<string, string>>;
  /** Starts the proxy; returns the program that bridges to it from inside and prints a line when it is ready. */
  open(folder: string): Promise<ProgramArgv>;
  close(): Promise<void>;
}
