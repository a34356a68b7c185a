// Where a Vertex request goes and how it is authorised: an API key, or a token from Application Default Credentials.

import type { ClientDeps } from "../../types/adapter.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { Auth } from "../../types/protocol.ts";
import { renewBeforeExpiry } from "../renewing.ts";
import type { AdcContext } from "./adc.ts";

interface VertexPlace {
  readonly project: string;
  readonly location: string;
}

/** There is no default location, because prices and models depend on it. */
export function vertexPlace(env: ClientDeps["env"], options: Partial<VertexPlace> = {}): VertexPlace {
  const project = options.project || env["GOOGLE_CLOUD_PROJECT"] || env["GCP_PROJECT"] || env["GCLOUD_PROJECT"];
  if (!project) throw new ConfigurationError("Vertex needs a project; set GOOGLE_CLOUD_PROJECT");
  const location =
    options.location || env["GOOGLE_VERTEX_LOCATION"] || env["GOOGLE_CLOUD_LOCATION"] || env["VERTEX_LOCATION"];
  if (!location)
    throw new ConfigurationError("Vertex needs a location; set GOOGLE_VERTEX_LOCATION, for example to global");
  return { project, location };
}

export function vertexAuth(context: AdcContext): Auth {
  const token = renewBeforeExpiry(async () => (await import("./adc.ts")).requestToken(context), context.deps.now);
  return async (request) => {
    const key = context.deps.env["GOOGLE_CLOUD_API_KEY"];
    if (key) return { ...request, headers: { ...request.headers, "x-goog-api-key": key } };
    const { value, quotaProject } = await token();
    return {
      ...request,
      headers: {
        ...request.headers,
        ...(quotaProject === undefined ? {} : { "x-goog-user-project": quotaProject }),
        authorization: `Bearer ${value}`,
      },
    };
  };
}
