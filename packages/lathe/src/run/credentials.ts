// The credentials of a run: one store, one order, asked by requests, `auth status` and `models` alike.

import type { ProviderRow } from "@lathe/llm/providers";
import { systemKeyring } from "../credentials/keyring.ts";
import { postForm } from "../credentials/oauth/post.ts";
import { type CredentialSources, type ResolvedCredential, resolveCredential } from "../credentials/resolve.ts";
import { CredentialStore } from "../credentials/store.ts";
import type { Workspace } from "./workspace.ts";

export interface RunKey {
  readonly provider: string;
  readonly key: string;
}

export function credentialSources(workspace: Workspace, runKey?: RunKey): CredentialSources {
  const { deps } = workspace.machine;
  return {
    store: credentialStore(workspace),
    env: workspace.env,
    oauth: { now: deps.now, post: postForm(deps.fetch) },
    ...(runKey === undefined ? {} : { runKey }),
  };
}

export function credentialStore(workspace: Workspace): CredentialStore {
  return new CredentialStore(workspace.paths.auth, workspace.settings["auth.keyring"] ? systemKeyring : undefined);
}

export function credentialOf(
  row: ProviderRow,
  sources: CredentialSources,
  fileKey?: string,
): Promise<ResolvedCredential | undefined> {
  return resolveCredential(
    {
      provider: row.id,
      envNames: row.keyEnv,
      bearerEnvNames: row.keyEnv.filter((name) => /_(OAUTH_TOKEN|ACCESS_TOKEN)$/.test(name)),
      ...(fileKey === undefined ? {} : { fileKey }),
      keyless: row.keyless ?? false,
    },
    sources,
  );
}
