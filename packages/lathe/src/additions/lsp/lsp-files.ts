// What lsp.json files say about language servers: the user's, then the project's once it is trusted. A row of the same name is
// changed field by field.

import { existsSync, readFileSync } from "node:fs";
import { isJsonObject, type JsonObject, messageOf } from "@lathe/llm";
import { isAsTrusted, isTrusted } from "../../config/trust/trust.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { isProblem, readYaml } from "../../platform/home/yaml.ts";
import { lspFilePlaces } from "./lsp-file-places.ts";
import { SERVER_ROWS, type ServerRow } from "./server-rows.ts";

export interface ConfiguredServers {
  readonly rows: readonly ServerRow[];
  readonly idleMs?: number;
  readonly warnings: readonly string[];
}

export function configuredServers(workspace: Workspace): ConfiguredServers {
  const { cwd, paths, machine } = workspace;
  const rows = new Map(SERVER_ROWS.map((row) => [row.name, row]));
  const warnings: string[] = [];
  let idleMs: number | undefined;
  for (const { file, isProjects } of lspFilePlaces(workspace)) {
    if (!existsSync(file)) continue;
    if (isProjects && !(isTrusted(paths.trust, cwd, machine.userHome) && isAsTrusted(paths.trust, file))) {
      warnings.push(`${file} has no effect until you trust it: lathe trust`);
      continue;
    }
    try {
      const said = readFile(file);
      if (typeof said["idleTimeoutMs"] === "number") idleMs = said["idleTimeoutMs"];
      const servers = said["servers"] ?? said;
      if (!isJsonObject(servers)) throw new Error('"servers" must be an object');
      for (const [name, given] of Object.entries(servers))
        if (name !== "idleTimeoutMs" && name !== "$schema") rows.set(name, mergeRow(name, rows.get(name), given));
    } catch (error) {
      warnings.push(`${file}: ${messageOf(error)}`);
    }
  }
  return { rows: [...rows.values()], warnings, ...(idleMs === undefined ? {} : { idleMs }) };
}

function readFile(file: string): JsonObject {
  const read = readYaml(readFileSync(file, "utf8"));
  if (isProblem(read)) throw new Error(`line ${read.line}: ${read.message}`);
  if (!isJsonObject(read.value)) throw new Error("it must hold an object");
  return read.value;
}

/** Fields of a file, as a row has them. */
const FIELDS: Readonly<
  Record<string, readonly [field: keyof ServerRow, kind: "text" | "texts" | "flag" | "object" | "number"]>
> = {
  command: ["command", "text"],
  args: ["args", "texts"],
  fileTypes: ["fileTypes", "texts"],
  rootMarkers: ["rootMarkers", "texts"],
  initOptions: ["initOptions", "object"],
  settings: ["settings", "object"],
  disabled: ["isDisabled", "flag"],
  isLinter: ["isLinter", "flag"],
  warmupTimeoutMs: ["startTimeoutMs", "number"],
};

const FITS = {
  text: (value: unknown) => typeof value === "string" && value !== "",
  texts: (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === "string"),
  flag: (value: unknown) => typeof value === "boolean",
  object: isJsonObject,
  number: (value: unknown) => typeof value === "number",
};

const WANTED = {
  text: "a text",
  texts: "a list of texts",
  flag: "true or false",
  object: "an object",
  number: "a number",
};

function mergeRow(name: string, known: ServerRow | undefined, given: unknown): ServerRow {
  if (!isJsonObject(given)) throw new Error(`the server ${name} must be an object`);
  const fields: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    if (key === "capabilities") continue; // of one server of another agent's
    const [field, kind] = FIELDS[key] ?? [];
    if (field === undefined || kind === undefined) throw new Error(`${name}: ${key} is not known`);
    if (!FITS[kind](value)) throw new Error(`${name}: ${key} must be ${WANTED[kind]}`);
    fields[field] = value;
  }
  const missing = ["command", "fileTypes", "rootMarkers"].filter((key) => known === undefined && !(key in fields));
  if (missing.length > 0) throw new Error(`the server ${name} needs ${missing.join(" and ")}`);
  // What a file names is not known to leave the project's code alone.
  const runsCode = known === undefined || "command" in fields ? { runsCode: true } : {};
  return { name, args: [], ...known, ...runsCode, ...fields } as ServerRow;
}
