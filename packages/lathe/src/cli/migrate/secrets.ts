// Keys and tokens are not copied from one file to another: the copy names a variable instead.

import type { McpServerValue } from "../../found/discovery/types.ts";

const SECRET_NAME = /token|key|secret|password|passwd|auth|credential/i;

/** For a provider or server that has its key in its file. */
export const variableFor = (name: string): string => `${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_")}_API_KEY`;

export interface WithoutSecrets {
  readonly server: McpServerValue;
  /** Variables that must be set now. */
  readonly variables: readonly string[];
}

export function withoutSecrets(name: string, server: McpServerValue): WithoutSecrets {
  const variables: string[] = [];
  const variableReference = (variable: string): string => {
    variables.push(variable);
    return `\${${variable}}`;
  };
  const env = mapValues(server.env, (key, value) => (isSecret(key, value) ? variableReference(key) : value));
  const headers = mapValues(server.headers, (key, value) => {
    if (!isSecret(key, value)) return value;
    const [, scheme = ""] = /^((?:Bearer|Basic|token)\s+)\S/i.exec(value) ?? [];
    return `${scheme}${variableReference(variableFor(name))}`;
  });
  return { server: { ...server, ...(env ? { env } : {}), ...(headers ? { headers } : {}) }, variables };
}

/** What refers to a variable already is no secret. */
const isSecret = (key: string, value: string): boolean =>
  value !== "" && !/\$\{?\w|\{env:/.test(value) && SECRET_NAME.test(key);

function mapValues(
  values: Readonly<Record<string, string>> | undefined,
  change: (key: string, value: string) => string,
): Readonly<Record<string, string>> | undefined {
  return values && Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(key, value)]));
}
