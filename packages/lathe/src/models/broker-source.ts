// The accounts of the broker that the user has named.

import { BrokerAccounts } from "../config/credentials/broker/broker-accounts.ts";
import { BrokerClient } from "../config/credentials/broker/broker-client.ts";
import { brokerPlace } from "../config/credentials/broker/place.ts";
import { SnapshotCache } from "../config/credentials/broker/snapshot-cache.ts";
import type { CredentialSource } from "../config/credentials/source.ts";
import type { Workspace } from "../config/workspace/workspace.ts";
import { outputOf } from "./secret-command.ts";

export async function openBroker(workspace: Workspace): Promise<CredentialSource> {
  const { machine, userEnv, settings, paths, redactor, cwd } = workspace;
  const { deps, credentialDeps = deps } = machine;
  const place = await brokerPlace({
    userEnv,
    settings,
    tokenFile: paths.brokerToken,
    cache: paths.cache,
    cwd,
    // Not with the variables of a project's .env file.
    runCommand: (command) => outputOf({ ...workspace, env: userEnv }, command),
  });
  redactor.add("broker", place.token);
  return new BrokerAccounts({
    client: new BrokerClient(place, credentialDeps.fetch),
    cache: new SnapshotCache({
      file: place.cacheFile,
      url: place.url,
      token: place.token,
      ttlMs: place.cacheTtlMs,
      now: credentialDeps.now,
    }),
    deps: credentialDeps,
    onSecret: (provider, value) => redactor.add(provider, value),
  });
}
