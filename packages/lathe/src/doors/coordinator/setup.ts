// Renders the entry with which a controller starts the coordinator, from what the operator allows. The same input gives
// the same bytes, and the entry is signed, so that a later run can tell whether it was edited.

import { createHash } from "node:crypto";
import { existsSync, realpathSync, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import type { JsonObject, JsonValue } from "@lathe/llm";
import { isJsonObject } from "@lathe/llm";
import { stringify } from "yaml";
import { canonicalJson } from "../../conversation/gates/canonical-json.ts";
import { CliError, usageError } from "../../platform/usage/exit.ts";
import { type Configuration, readConfiguration, VARIABLE } from "./configuration.ts";
import { MUTATIONS } from "./contract.ts";

export const SECTION = "mcp_servers";
export const ENTRY_NAME = "lathe_coordinator";
const MANAGED_BY = "lathe-setup-coordinator";
const SETUP_SCHEMA_VERSION = "1";
const SIGNATURE = `${VARIABLE}SETUP_SIGNATURE`;

/** The operator's options, as typed. */
export interface SetupRequest {
  readonly roots: readonly string[];
  readonly profile?: string | undefined;
  readonly repo?: string | undefined;
  /** Kinds of changes, separated by commas. Without any, the controller can only read. */
  readonly mutations?: string | undefined;
  /** Kept verbatim. */
  readonly sessionCommand: string;
}

export interface SetupEntry extends JsonObject {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  readonly enabled: boolean;
}

interface Places {
  readonly cwd: string;
  /** The home of Lathe. The state is kept there, since a controller may run in any folder. */
  readonly home: string;
}

interface Rendered {
  readonly entry: SetupEntry;
  /** The configuration that the server will read from the entry. */
  readonly configuration: Configuration;
}

/** Refuses whatever the server would refuse at its start. */
export function renderEntry(request: SetupRequest, { cwd, home }: Places): Rendered {
  const roots = [...new Set(request.roots.map((root) => rootAt(resolve(cwd, root))))];
  const [first] = roots;
  if (first === undefined) throw usageError("Name the folder that the coordinator may work in: --root <dir>");
  if (request.sessionCommand.trim() === "")
    throw usageError('--session-command is a command, such as "lathe --worktree".');
  const variables: Record<string, string | undefined> = {
    WORKDIR_ROOTS: roots.join(delimiter),
    SESSION_COMMAND: request.sessionCommand,
    STATE_ROOT: join(home, "coordinator", shortHash(first)),
    MUTATIONS: request.mutations,
    PROFILE: request.profile,
    REPO: request.repo,
    SETUP_MANAGED_BY: MANAGED_BY,
    SETUP_SCHEMA_VERSION,
  };
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) if (value !== undefined) env[VARIABLE + name] = value;
  const configuration = inOptions(() => readConfiguration(env, cwd));
  if (request.mutations !== undefined) {
    if (configuration.mutations.size === 0)
      throw usageError("--mutation takes sessions, questions, reports or all, separated by commas.");
    env[`${VARIABLE}MUTATIONS`] = MUTATIONS.filter((kind) => configuration.mutations.has(kind)).join(",");
  }
  const entry: SetupEntry = { command: "lathe", args: ["mcp-serve", "coordinator"], env, enabled: true };
  env[SIGNATURE] = signatureOf(entry);
  return { entry, configuration };
}

const OPTIONS: Readonly<Record<string, string>> = {
  WORKDIR_ROOTS: "--root",
  SESSION_COMMAND: "--session-command",
  MUTATIONS: "--mutation",
  PROFILE: "--profile",
  REPO: "--repo",
};

/** Error messages name the server's variables; replace them by the options that the user typed. */
function inOptions<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    let { message } = error;
    for (const [name, option] of Object.entries(OPTIONS)) message = message.replaceAll(VARIABLE + name, option);
    throw usageError(message);
  }
}

function rootAt(path: string): string {
  if (!existsSync(path) || !statSync(path).isDirectory())
    throw usageError(`--root takes a folder. There is none at ${path}.`);
  const real = realpathSync(path);
  if (!/[:,;\n]/.test(real)) return real;
  throw usageError(
    `A folder whose path has ":", "," or ";" in it cannot be allowed, because these separate folders: ${real}`,
  );
}

const shortHash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);

/** Covers everything in the entry except the signature. */
function signatureOf(entry: JsonObject): string {
  const { [SIGNATURE]: _signature, ...env } = isJsonObject(entry["env"]) ? entry["env"] : {};
  return createHash("sha256")
    .update(canonicalJson({ ...entry, env }))
    .digest("hex");
}

/** All texts are quoted, since parsers of older YAML read `on` and `1` as other types. */
export const YAML_STYLE = { lineWidth: 0, defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN" } as const;

export const yamlOf = (value: object): string => stringify(value, YAML_STYLE);

export const entryAsYaml = (entry: SetupEntry): string => yamlOf({ [SECTION]: { [ENTRY_NAME]: entry } });

export const entryAsJson = (entry: SetupEntry): string =>
  `${JSON.stringify({ [SECTION]: { [ENTRY_NAME]: entry } }, null, 2)}\n`;

/** Whether the entry is unchanged since a run of this command. */
export function isRendered(known: JsonValue): boolean {
  if (!isJsonObject(known) || !isJsonObject(known["env"])) return false;
  const { env } = known;
  return env[`${VARIABLE}SETUP_MANAGED_BY`] === MANAGED_BY && env[SIGNATURE] === signatureOf(known);
}
