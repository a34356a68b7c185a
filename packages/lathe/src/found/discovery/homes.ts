// The folders of one agent: the user's, and the project's nearest one that is not empty.

import { type AgentPlaces, userFolder } from "./agent-places.ts";
import { nearest, type Scan, type Search } from "./search.ts";
import type { ItemKind, Level } from "./types.ts";

export interface Home {
  readonly path: string;
  readonly level: Level;
}

export interface AgentFolders {
  /** Returns an absolute path. */
  readonly user: (search: Scan) => string;
  /** The name of the folder below the project, such as `.claude`. */
  readonly project: string;
}

/** The folders of an agent according to the table of places. */
export const foldersOf = (agent: AgentPlaces): AgentFolders => ({
  user: ({ place }) => userFolder(place, agent),
  project: agent.project[0] ?? "",
});

/** Which folder wins if both have an item of the same name. */
type First = "user" | "project";

export function homesOf(search: Scan, { user, project }: AgentFolders, first: First): readonly Home[] {
  const near = nearest(search, project);
  const own: Home = { path: user(search), level: "user" };
  if (near === undefined) return [own];
  const theirs: Home = { path: near, level: "project" };
  return first === "user" ? [own, theirs] : [theirs, own];
}

/** Makes a loader that does the same in both folders. */
export const inHomes =
  <K extends ItemKind>(
    folders: AgentFolders,
    first: First,
    load: (search: Search<K>, home: Home) => void | Promise<void>,
  ) =>
  async (search: Search<K>): Promise<void> => {
    for (const home of homesOf(search, folders, first)) await load(search, home);
  };

/** This folder in every folder of the project, nearest first, and then the user's. */
export function everyHome(search: Scan, { user, project }: AgentFolders): readonly Home[] {
  const theirs = search.place.folders.map((folder): Home => ({ path: `${folder}/${project}`, level: "project" }));
  return [...theirs, { path: user(search), level: "user" }];
}
