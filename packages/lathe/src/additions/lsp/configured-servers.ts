// The server rows after configuration files: servers that the user and plugins add come first. If two files configure
// one server, the one closer to the project wins, field by field.

import { dirname } from "node:path";
import type { Place } from "../../found/discovery/place.ts";
import type { Found, LspServerValue } from "../../found/discovery/types.ts";
import { warningLine } from "../../found/discovery/warning-line.ts";
import type { ServerRow } from "./server-row.ts";
import { SERVER_ROWS } from "./server-rows.ts";

export interface ConfiguredServers {
  readonly rows: readonly ServerRow[];
  readonly idleMs?: number;
  /** One line per warning. */
  readonly warnings: readonly string[];
}

/** `items`: the active items, highest priority first. */
export function configureServers(items: readonly Found<LspServerValue>[], place: Place): ConfiguredServers {
  const known = new Map(SERVER_ROWS.map((row) => [row.name, row]));
  const added: ServerRow[] = [];
  const warnings: string[] = [];
  const said = new Map<string, Found<LspServerValue>>();
  let idleMs: number | undefined;
  for (const item of items.toReversed().sort((a, b) => rankOf(a, place) - rankOf(b, place))) {
    const { name, value } = item;
    if (value.idleMs !== undefined) idleMs = value.idleMs;
    else said.set(name, { ...item, value: { ...said.get(name)?.value, ...value } });
  }
  for (const { name, source, value } of said.values()) {
    const row = rowOf(name, known.get(name), value);
    if (typeof row === "string") warnings.push(warningLine({ ...source, message: `language server ${name}: ${row}` }));
    else if (known.has(name)) known.set(name, row);
    else added.push(row);
  }
  const rows = [...added, ...known.values()];
  return { rows, warnings, ...(idleMs === undefined ? {} : { idleMs }) };
}

/** Ranks items: home folder, plugins, the user's agent folders, those of the project, the project itself. */
function rankOf({ source: { level, path } }: Found, { userHome, folders }: Place): number {
  const folder = dirname(path);
  if (level === "project") return folders.includes(folder) ? 4 : 3;
  if (level === "plugin") return 1;
  return folder === userHome ? 0 : 2;
}

/** The row, or an error that says what is missing. */
function rowOf(name: string, known: ServerRow | undefined, fields: LspServerValue): ServerRow | string {
  const { languages } = fields;
  const fileTypes = fields.fileTypes ?? (languages && Object.keys(languages));
  // Plugins of Claude Code name no markers: their servers are for every folder.
  const rootMarkers = fields.rootMarkers ?? (languages && ["."]);
  const row = {
    name,
    args: [],
    // A configured command may run the project's code.
    ...(known === undefined || fields.command !== undefined ? { runsCode: true } : {}),
    ...known,
    ...(known !== undefined && fields.command !== undefined ? { runsCode: true } : {}),
    ...fields,
    ...(fileTypes ? { fileTypes } : {}),
    ...(rootMarkers ? { rootMarkers } : {}),
  };
  const { command, fileTypes: types, rootMarkers: markers } = row as Partial<ServerRow>;
  const missing = [command ?? "command", types ?? "fileTypes", markers ?? "rootMarkers"].filter(
    (one) => typeof one === "string" && one !== command,
  );
  return missing.length > 0 ? `it needs ${missing.join(" and ")}` : (row as ServerRow);
}
