// The servers of a workspace, made from what discovery found, and what they need: values, credentials, the timeout for
// all of them.

import { existsSync } from "node:fs";
import { basename } from "node:path";
import { isJsonObject } from "@lathe/llm";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import type { Found, McpServerValue } from "../../found/discovery/types.ts";
import { credentialStore } from "../../models/credentials.ts";
import { shownPath } from "../../platform/home/shown-path.ts";
import type { SignInDeps } from "./sign-in.ts";
import type { OAuthConfig, ServerConfig } from "./types.ts";
import { expandVariables, type LiteralSecret, literalSecrets, type ValueSources } from "./values.ts";

/** The servers that take effect in the workspace. */
export async function foundServers(workspace: SessionWorkspace): Promise<readonly ServerConfig[]> {
  const { active } = await (await workspace.discovery()).of("mcp-server");
  return active.map((found) => serverConfig(found, workspace));
}

function serverConfig({ name, source, value }: Found<McpServerValue>, workspace: Workspace): ServerConfig {
  const { machine } = workspace;
  const { oauth, ...rest } = withPlaces(value, workspace) as McpServerValue;
  return {
    ...rest,
    name,
    file: shownPath(source.path, machine.userHome),
    ...(oauth === undefined ? {} : { oauth: oauth && oauthOf(oauth) }),
  };
}

/** Replaces editors' names for folders and their notation for variables in all texts of a server's entry. */
function withPlaces(value: unknown, workspace: Workspace): unknown {
  const { cwd, machine } = workspace;
  const places: Readonly<Record<string, string>> = {
    workspaceFolder: cwd,
    workspaceFolderBasename: basename(cwd),
    userHome: machine.userHome,
    pathSeparator: "/",
    "/": "/",
  };
  if (typeof value === "string")
    return value
      .replaceAll(/\$\{([\w/]+)\}/g, (whole, name: string) =>
        Object.hasOwn(places, name) ? (places[name] ?? whole) : whole,
      )
      .replaceAll(/(?<=\$\{)env:(?=\w+\})/g, "");
  if (Array.isArray(value)) return value.map((one) => withPlaces(one, workspace));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withPlaces(one, workspace)]));
}

/** Ignores fields of the wrong type. */
function oauthOf(written: Readonly<Record<string, unknown>>): OAuthConfig {
  const { clientId, clientSecret, scopes, scope, callbackPort } = written;
  const words = typeof scope === "string" ? scope.split(/\s+/) : Array.isArray(scopes) ? scopes : [];
  return {
    ...(typeof clientId === "string" ? { clientId } : {}),
    ...(typeof clientSecret === "string" ? { clientSecret } : {}),
    ...(words.length === 0 ? {} : { scopes: words.map(String) }),
    ...(typeof callbackPort === "number" ? { callbackPort } : {}),
  };
}

export function valueSources(workspace: Workspace): ValueSources {
  return {
    env: workspace.env,
    run: async (command) => (await import("../../models/secret-command.ts")).outputOf(workspace, command),
    onSecret: (name, value) => learn(workspace, { name, value }),
    redact: (value) => workspace.redactor.value(value),
  };
}

/** Before anything of the servers is shown: the model may read the file that configures them. */
export function learnLiterals(configs: readonly ServerConfig[], workspace: Workspace): void {
  for (const config of configs) for (const secret of literalSecrets(config, workspace.env)) learn(workspace, secret);
}

function learn({ redactor }: Workspace, { name, value, host }: LiteralSecret): void {
  // The path of a key file is not secret; it appears in every listing of its folder.
  if (value.startsWith("/") && existsSync(value)) return;
  redactor.add(name, value, host);
}

export function signInDeps(workspace: Workspace, { url = "" }: ServerConfig): SignInDeps {
  const { deps, credentialDeps = deps } = workspace.machine;
  return {
    store: credentialStore(workspace),
    now: credentialDeps.now,
    onSecret: (name, value) => workspace.redactor.add(name, value),
    url: new URL(expandVariables(url, workspace.env)).href,
  };
}

const TIMEOUT_VARIABLE = "LATHE_MCP_TIMEOUT_MS";

/** The timeout for all servers from the variable, or what is wrong with it. */
export function timeoutOfAll({ env }: Workspace): { readonly ms?: number; readonly problem?: string } {
  const written = env[TIMEOUT_VARIABLE]?.trim();
  if (!written) return {};
  if (/^\d{1,9}$/.test(written)) return { ms: Number(written) };
  return { problem: `${TIMEOUT_VARIABLE} is ignored: "${written}" is not a number of milliseconds.` };
}
