// What the AWS credential sources share.

import type { ClientDeps } from "../../types/adapter.ts";

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** Milliseconds since the epoch; absent: they do not expire. */
  readonly expiresAt?: number;
}

export interface AwsContext {
  readonly deps: Pick<ClientDeps, "env" | "readFile" | "homeDir" | "now" | "fetch" | "setTimer">;
  readonly region: string;
  /** Runs a `credential_process` command line and gives its output; hosts that allow none omit it. */
  readonly runCommand?: (command: string) => Promise<string>;
}
