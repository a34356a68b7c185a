// Azure OpenAI's own ways of naming a host and a model.

import type { ClientDeps } from "../types/adapter.ts";
import { ConfigurationError } from "../types/errors.ts";

type Env = ClientDeps["env"];

/** Environment first after an explicit option; a resource name stands for its usual host. */
export function azureBaseUrl(env: Env, option: string | undefined): string {
  const resource = env["AZURE_OPENAI_RESOURCE_NAME"];
  // Microsoft's own variable names the host only.
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

/** `id=deployment,id2=deployment2`. */
export function azureDeployments(env: Env): Readonly<Record<string, string>> {
  const pairs = (env["AZURE_OPENAI_DEPLOYMENT_NAME_MAP"] ?? "").split(",").flatMap((pair) => {
    const [id, deployment] = pair.split("=").map((text) => text.trim());
    return id && deployment ? [[id, deployment] as const] : [];
  });
  return Object.fromEntries(pairs);
}
