// The accounts of the broker that the user configured.

import { BrokerAccounts } from "../config/credentials/broker/broker-accounts.ts";
import { BrokerClient } from "../config/credentials/broker/broker-client.ts";
import { type BrokerPlace, brokerPlace } from "../config/credentials/broker/place.ts";
import { SnapshotCache } from "../config/credentials/broker/snapshot-cache.ts";
import type { CredentialSource } from "../config/credentials/source.ts";
import type { Workspace } from "../config/workspace/workspace.ts";
import { outputOf } from "./secret-command.ts";

/** Finds the broker that the user configured. */
export async function configuredBroker(workspace: Workspace): Promise<BrokerPlace> {
  const { userEnv, settings, paths, redactor, cwd } = workspace;
  const place = await brokerPlace({
    userEnv,
    settings,
    tokenFile: paths.brokerToken,
    cache: paths.cache,
    cwd,
    // The command runs without the variables of a project's .env file.
    runCommand: (command) => outputOf({ ...workspace, env: userEnv }, command),
  });
  redactor.add("broker", place.token);
  return place;
}

export async function openBroker(workspace: Workspace): Promise<CredentialSource> {
  const { machine, redactor } = workspace;
  const { deps, credentialDeps = deps } = machine;
  const place = await configuredBroker(workspace);
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
