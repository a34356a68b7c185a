// Where Lathe keeps its files. LATHE_HOME moves everything; nothing else is written below the user's home.

import { statSync } from "node:fs";
import { join, resolve } from "node:path";

export interface HomePaths {
  readonly home: string;
  readonly config: string;
  readonly models: string;
  readonly auth: string;
  readonly trust: string;
  readonly sessions: string;
  readonly blobs: string;
  readonly terminalSessions: string;
  readonly cache: string;
  readonly settingsMemory: string;
}

export function homePaths(env: Readonly<Record<string, string | undefined>>, userHome: string): HomePaths {
  const home = resolve(env["LATHE_HOME"] || join(userHome, ".lathe"));
  return {
    home,
    config: `${home}/config.yml`,
    models: `${home}/models.yml`,
    auth: `${home}/auth.json`,
    trust: `${home}/trust.json`,
    sessions: `${home}/sessions`,
    blobs: `${home}/blobs`,
    terminalSessions: `${home}/terminal-sessions`,
    cache: `${home}/cache`,
    settingsMemory: `${home}/cache/settings.json`,
  };
}

/** Files a project may bring; they count only in a trusted folder. Absent: what stands there is the user's own. */
export interface ProjectPaths {
  readonly config?: string;
  readonly models?: string;
  readonly env?: string;
}

export function projectPaths(cwd: string, { home }: HomePaths, userHome: string): ProjectPaths {
  const folder = `${cwd}/.lathe`;
  return {
    ...(isSame(folder, home) ? {} : { config: `${folder}/config.yml`, models: `${folder}/models.yml` }),
    ...(isSame(cwd, userHome) ? {} : { env: `${cwd}/.env` }),
  };
}

/** Wherever links lead. */
function isSame(path: string, other: string): boolean {
  if (path === other) return true;
  const [a, b] = [path, other].map((one) => statSync(one, { throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}
