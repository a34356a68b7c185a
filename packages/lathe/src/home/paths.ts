// Where Lathe keeps its files. LATHE_HOME moves everything; nothing else is written below the user's home.

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
    config: join(home, "config.yml"),
    models: join(home, "models.yml"),
    auth: join(home, "auth.json"),
    trust: join(home, "trust.json"),
    sessions: join(home, "sessions"),
    blobs: join(home, "blobs"),
    terminalSessions: join(home, "terminal-sessions"),
    cache: join(home, "cache"),
    settingsMemory: join(home, "cache", "settings.json"),
  };
}

/** Files a project may bring; they count only in a trusted folder. */
export function projectPaths(cwd: string): { readonly config: string; readonly models: string; readonly env: string } {
  return {
    config: join(cwd, ".lathe", "config.yml"),
    models: join(cwd, ".lathe", "models.yml"),
    env: join(cwd, ".env"),
  };
}
