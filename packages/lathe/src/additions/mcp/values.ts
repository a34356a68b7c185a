// Resolves values in a configuration: `${VAR}` and `${VAR:-default}` inside any text; a whole value of a variable or
// header may also be the name of a variable, or `!command`, which stands for the command's output (CF-04).

import { isSecretName, isSecretValue } from "@lathe/agent/world";
import type { ServerConfig } from "./types.ts";

export interface ValueSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns the output of a command that the user wrote. */
  readonly run: (command: string) => Promise<string>;
  /** Called with each value from a variable or command, so that it stays out of journals. */
  readonly onSecret: (name: string, value: string) => void;
  /** Replaces the secrets that are known by then, in all texts of plain data. */
  redact<T>(value: T): T;
}

const REFERENCE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;
const VARIABLE = /^[A-Z][A-Z0-9_]*$/;

class UnsetVariable extends Error {
  constructor(name: string) {
    super(`the variable ${name} is not set`);
    this.name = "UnsetVariable";
  }
}

/** Throws if a variable is not set and has no default. */
export function expandVariables(text: string, env: ValueSources["env"]): string {
  return text.replace(REFERENCE, (_, name: string, instead: string | undefined) => {
    // As in shells, an empty variable counts as unset.
    const value = env[name] || instead;
    if (value === undefined) throw new UnsetVariable(name);
    return value;
  });
}

/** Resolves the variables of a process or the headers of a request. */
export async function resolveValues(
  values: Readonly<Record<string, string>> = {},
  sources: ValueSources,
): Promise<Record<string, string>> {
  const entries = Object.entries(values).map(async ([name, text]) => [name, await resolveValue(name, text, sources)]);
  return Object.fromEntries(await Promise.all(entries)) as Record<string, string>;
}

async function resolveValue(name: string, text: string, { env, run, onSecret }: ValueSources): Promise<string> {
  const value = text.startsWith("!") ? await run(text.slice(1)) : lookUp(text, env);
  if (value !== text) onSecret(name, withoutScheme(value));
  return value;
}

/** A literal value that must stay out of journals. */
export interface LiteralSecret {
  readonly name: string;
  readonly value: string;
  /** The host of the server that gets it as a header. */
  readonly host?: string | undefined;
}

/** Headers that describe the request; their values, such as a media type or a date, occur in ordinary text. */
const PLAIN_HEADER = /^(?:accept|accept-.*|content-.*|cache-control|connection|host|mcp-protocol-version|user-agent)$/i;

/**
 * The literal values of a server's configuration that are or may be secrets: variables with the name or the value of a
 * secret, headers, the secret of its client. `resolveValues` reports those that it looks up.
 */
export function literalSecrets(config: ServerConfig, env: ValueSources["env"]): readonly LiteralSecret[] {
  const { isLiteral, url = "", oauth } = config;
  const isWritten = (text: string): boolean => isLiteral === true || isWrittenOut(text, env);
  const host = URL.canParse(url) ? new URL(url).host : undefined;
  const variables = Object.entries(config.env ?? {}).filter(
    ([name, value]) => isWritten(value) && (isSecretName(name) || isSecretValue(value)),
  );
  const headers = Object.entries(config.headers ?? {}).filter(
    ([name, value]) => isWritten(value) && !PLAIN_HEADER.test(name),
  );
  const client = oauth ? (oauth.clientSecret ?? "") : "";
  return [
    ...variables.map(([name, value]) => ({ name, value })),
    ...headers.map(([name, value]) => ({ name, value: withoutScheme(value), host })),
    ...(client === "" ? [] : [{ name: "clientSecret", value: client }]),
  ];
}

const withoutScheme = (value: string): string => value.replace(/^(?:Bearer|Basic|Token) /i, "");

/** Whether `resolveValues` takes the text as it is. */
const isWrittenOut = (text: string, env: ValueSources["env"]): boolean =>
  !text.startsWith("!") && text.search(REFERENCE) === -1 && !(VARIABLE.test(text) && env[text] !== undefined);

const lookUp = (text: string, env: ValueSources["env"]): string =>
  (VARIABLE.test(text) ? env[text] : undefined) ?? expandVariables(text, env);
