// Types shared by the AWS credential sources.

import type { ClientDeps } from "../../types/adapter.ts";

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** Milliseconds since the epoch; absent if they do not expire. */
  readonly expiresAt?: number;
}

export interface AwsContext {
  readonly deps: Pick<ClientDeps, "env" | "readFile" | "homeDir" | "now" | "fetch" | "setTimer">;
  readonly region: string;
  /** Runs a `credential_process` command line and returns its output. Absent if the host does not allow that. */
  readonly runCommand?: (command: string) => Promise<string>;
}
