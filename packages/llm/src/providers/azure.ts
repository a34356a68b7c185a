// How Azure OpenAI names hosts and models.

import type { ClientDeps } from "../types/adapter.ts";
import { ConfigurationError } from "../types/errors.ts";

type Env = ClientDeps["env"];

/** The option wins over the environment. A resource name stands for its usual host. */
export function azureBaseUrl(env: Env, option: string | undefined): string {
  const resource = env["AZURE_OPENAI_RESOURCE_NAME"];
  // Microsoft's own variable contains only the host.
  const host =
    env["AZURE_OPENAI_ENDPOINT"]?.replace(/\/+$/, "") || (resource && `https://${resource}.openai.azure.com`);
  const base = option || env["AZURE_OPENAI_BASE_URL"] || (host ? withPath(host) : undefined);
  if (base === undefined) {
    throw new ConfigurationError(
      'Provider "azure-openai" needs a host: set AZURE_OPENAI_ENDPOINT, AZURE_OPENAI_BASE_URL or AZURE_OPENAI_RESOURCE_NAME',
    );
  }
  return base.replace(/\/+$/, "");
}

const withPath = (host: string): string => (/\/openai(\/|$)/.test(host) ? host : `${host}/openai/v1`);

/** Parses `id=deployment,id2=deployment2`. */
export function azureDeployments(env: Env): Readonly<Record<string, string>> {
  const pairs = (env["AZURE_OPENAI_DEPLOYMENT_NAME_MAP"] ?? "").split(",").flatMap((pair) => {
    const [id, deployment] = pair.split("=").map((text) => text.trim());
    return id && deployment ? [[id, deployment] as const] : [];
  });
  return Object.fromEntries(pairs);
}
