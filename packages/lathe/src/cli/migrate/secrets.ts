// Keys and tokens are not copied from one file to another: the copy refers to a variable instead.

import { isSecretValue } from "@lathe/agent/world";
import type { McpServerValue } from "../../found/discovery/types.ts";

const SECRET_NAME = /token|key|secret|password|passwd|auth|credential/i;

/** The variable for the key of a provider or server. */
export const variableFor = (name: string): string => `${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_")}_API_KEY`;

export interface WithoutSecrets {
  readonly server: McpServerValue;
  /** Variables that the user must set now. */
  readonly variables: readonly string[];
}

/** `taken` maps the secrets of this migration to their variables, so that two secrets never share one. */
export function withoutSecrets(name: string, server: McpServerValue, taken: Map<string, string>): WithoutSecrets {
  const variables: string[] = [];
  const variableReference = (wanted: string, secret: string): string => {
    const used = new Set(taken.values());
    let variable = taken.get(secret) ?? wanted;
    for (let n = 2; !taken.has(secret) && used.has(variable); n++) variable = `${wanted}_${n}`;
    taken.set(secret, variable);
    variables.push(variable);
    return `\${${variable}}`;
  };
  const env = mapValues(server.env, (key, value) => (isSecret(key, value) ? variableReference(key, value) : value));
  const headers = mapValues(server.headers, (key, value) => {
    if (!isSecret(key, value)) return value;
    const [, scheme = "", secret = value] = /^((?:Bearer|Basic|token)\s+)(\S.*)$/is.exec(value) ?? [];
    return `${scheme}${variableReference(variableFor(name), secret)}`;
  });
  // `--api-key value`, `--token=value`, or a word that looks like a key.
  const args = server.args?.map((word, at, all) => {
    const [, option, value = word] = /^(--?[\w-]+=)(.*)$/s.exec(word) ?? [];
    const isOption = option === undefined && word.startsWith("-");
    const named = option ?? (/^-/.test(all[at - 1] ?? "") && !isOption ? all[at - 1] : "");
    return isSecret(named ?? "", value) ? `${option ?? ""}${variableReference(variableFor(name), value)}` : word;
  });
  const url = server.url?.replace(SECRET_IN_ADDRESS, (whole, before: string, value: string) =>
    /^\$/.test(value) ? whole : `${before}${variableReference(variableFor(name), value)}`,
  );
  const changed = { ...(env && { env }), ...(headers && { headers }), ...(args && { args }), ...(url && { url }) };
  return { server: { ...server, ...changed }, variables: [...new Set(variables)] };
}

/** A password before the host, or a parameter whose name suggests a secret. */
const SECRET_IN_ADDRESS = /(:\/\/[^/@:\s]+:|[?&][\w-]*(?:token|key|secret|password)[\w-]*=)([^@&#\s]+)/gi;

/** A reference to a variable is not a secret. */
const isSecret = (key: string, value: string): boolean =>
  value !== "" && !/\$\{?\w|\{env:/.test(value) && (SECRET_NAME.test(key) || isSecretValue(value));

function mapValues(
  values: Readonly<Record<string, string>> | undefined,
  change: (key: string, value: string) => string,
): Readonly<Record<string, string>> | undefined {
  return values && Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(key, value)]));
}
