// The package's functions for programs, loaded with the first call of one of them.

import { join } from "node:path";
import { knownTools } from "@lathe/agent/tools";
import { BUILTIN_THEMES, parseTheme } from "@lathe/tui";
import { discoveryFor } from "../../found/discovery/discovery.ts";
import { ITEM_KINDS } from "../../found/discovery/types.ts";
import { listSessions as listFiles } from "../../sessions/list.ts";
import type { ModelRow } from "../rpc/commands.ts";
import { modelRowOf } from "../rpc/models.ts";
import { openPlace } from "./place.ts";
import type { DiscoveredItem, PlaceOptions, StoredSession, ThemeColours, ToolRow } from "./types.ts";

export { createAgentSession } from "./agent-session.ts";

export async function listSessions(place: PlaceOptions): Promise<readonly StoredSession[]> {
  const { machine, paths, cwd } = (await openPlace(place)).workspace;
  const cacheFile = join(paths.cache, "session-heads.json");
  return listFiles({ sessionsRoot: paths.sessions, cwd, cacheFile, now: machine.deps.now() });
}

export async function readSettings(place: PlaceOptions): Promise<Readonly<Record<string, unknown>>> {
  return { ...(await openPlace(place)).workspace.settings };
}

export async function availableModels(place: PlaceOptions): Promise<readonly ModelRow[]> {
  const { registry } = await (await openPlace(place)).workspace.models();
  return registry.available().map(modelRowOf);
}

export async function discoverFiles(place: PlaceOptions): Promise<readonly DiscoveredItem[]> {
  const discovery = discoveryFor((await openPlace(place)).workspace);
  const found = await Promise.all(ITEM_KINDS.map((kind) => discovery.of(kind)));
  return found.flatMap(({ all }) =>
    all.map(({ kind, name, source: { path }, shadowedBy, ignored }) => {
      const why = ignored ?? (shadowedBy && `${shadowedBy.path} has the same name`);
      return { kind, name, path, ...(why === undefined ? {} : { ignored: why }) };
    }),
  );
}

export const builtinTools = (): readonly ToolRow[] =>
  knownTools().map(({ name, label, description, schema }) => ({ name, label, description, parameters: schema }));

export const builtinThemes = (): readonly ThemeColours[] => BUILTIN_THEMES;

/** Throws an error that says what is wrong. */
export const readTheme = (json: string, name: string): ThemeColours => parseTheme(json, name);
