// A user who has just cloned the repository: an empty home, a folder for global packages, their own project.
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Env } from "./shells.ts";

export interface Newcomer {
  readonly clone: string;
  readonly home: string;
  readonly project: string;
  readonly env: Env;
}

export function newcomer(folder: string, root: string, keys: Env): Newcomer {
  const clone = join(folder, "clone");
  execFileSync("git", ["clone", "--quiet", root, clone]);
  return { clone, ...visitor(folder, root, keys, join(folder, "prefix")) };
}

/** The same without a clone, for pages whose readers have installed the command. */
export function visitor(folder: string, root: string, keys: Env, prefix: string): Omit<Newcomer, "clone"> {
  const home = join(folder, "home");
  const project = join(folder, "project");
  for (const path of [home, join(prefix, "bin")]) mkdirSync(path, { recursive: true });
  writeProject(project, join(root, "packages/lathe/sample"));
  const env = {
    ...keys,
    HOME: home,
    PATH: `${join(prefix, "bin")}:${process.env["PATH"]}`,
    npm_config_prefix: prefix,
    // How this machine reaches a registry, and its npm cache.
    npm_config_globalconfig: npmConfig("globalconfig"),
    npm_config_cache: npmConfig("cache"),
    npm_config_update_notifier: "false",
  };
  return { home, project, env };
}

/**
 * Values of npm's configuration, by key: asking npm takes longer than most samples, and every page has its own reader.
 */
const npmAnswers = new Map<string, string>();

function npmConfig(key: string): string {
  const known =
    npmAnswers.get(key) ??
    execFileSync("npm", ["config", "get", key], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  npmAnswers.set(key, known);
  return known;
}

/** A small repository with an uncommitted change and the files that the samples name. */
function writeProject(folder: string, sample: string): void {
  cpSync(sample, folder, { recursive: true });
  writeFileSync(join(folder, "src/server.ts"), 'console.log("listening");\n');
  const schema = {
    type: "object",
    properties: { functions: { type: "array", items: { type: "object", properties: { name: { type: "string" } } } } },
    required: ["functions"],
  };
  writeFileSync(join(folder, "schema.json"), JSON.stringify(schema));
  const git = (...args: string[]): void => {
    execFileSync("git", ["-c", "user.name=Newcomer", "-c", "user.email=newcomer@example.com", ...args], {
      cwd: folder,
    });
  };
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "-m", "first");
  appendFileSync(join(folder, "src/server.ts"), "// to be reviewed\n");
}
