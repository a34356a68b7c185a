// `lathe map [path]`: the most linked definitions of a project.

import { statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { LocalEnvironment, ToolFailure } from "@lathe/agent";
import { MAP_TOKENS } from "@lathe/agent/tools";
import { CodeIndexes } from "../../additions/code-index/code-indexes.ts";
import { showMap } from "../../additions/code-index/show-map.ts";
import { Run } from "../../hosts/run.ts";
import { CliError, EXIT, usageError } from "../../platform/usage/exit.ts";
import { visible } from "../../sessions/visible.ts";
import type { Command } from "./command.ts";
import { verbArgs } from "./verb-args.ts";

/** With fewer files the work is done before the user begins to wonder. */
const MANY_FILES = 300;
const COLUMNS = 80;

export const mapCommand: Command = async (argv, machine) => {
  const { values, positionals } = verbArgs(argv, { tokens: { type: "string", short: "t" } }, "map");
  const [named, more] = positionals;
  if (more !== undefined) throw usageError(`lathe map takes one path, but got "${more}" as well.`);
  const tokens = tokensOf(values.tokens);
  const { cwd, paths, env } = await new Run(machine).open({});
  const { root, path } = placeOf(named, cwd);
  const place = new LocalEnvironment({ cwd: root, baseEnv: env });
  const indexes = new CodeIndexes(paths.cache, machine.deps.now);
  try {
    const index = await indexes.for(place);
    const code = await index.rank(path, new AbortController().signal, (files) => {
      if (files > MANY_FILES) machine.stderr.write(`Reading ${files} files; next time only changed ones.\n`);
    });
    const columns = machine.stdout.isTTY ? (machine.stdout.columns ?? COLUMNS) : COLUMNS;
    const hint = `lathe map --tokens ${Math.min(tokens * 2, MAP_TOKENS.most)}`;
    const map = showMap(code, { path, tokens, columns, isCut: index.isCut, mayShow: () => true, hint });
    if (map === undefined)
      throw new CliError(EXIT.failed, `${named ?? cwd} has no source code in a language that Lathe knows.`);
    machine.stdout.write(`${visible(map)}\n`);
    return EXIT.done;
  } catch (error) {
    throw error instanceof ToolFailure ? new CliError(EXIT.failed, error.message) : error;
  } finally {
    await indexes.close();
    await place.cleanup();
  }
};

function tokensOf(given: string | undefined): number {
  if (given === undefined) return MAP_TOKENS.usual;
  const { least, most } = MAP_TOKENS;
  const tokens = Number(given);
  if (!/^\d+$/.test(given) || tokens < least || tokens > most)
    throw usageError(`--tokens takes a number from ${least} to ${most}, not "${given}".`);
  return tokens;
}

/** A path in this project is shown as a part of its map; another folder gets its own map. */
function placeOf(named: string | undefined, cwd: string): { root: string; path?: string } {
  if (named === undefined) return { root: cwd };
  const full = resolve(cwd, named);
  const stat = statSync(full, { throwIfNoEntry: false });
  if (!stat) throw usageError(`${named} does not exist. Name a folder or file: lathe map [path]`);
  const path = relative(cwd, full);
  if (path === "") return { root: cwd };
  if (!path.startsWith("..")) return { root: cwd, path };
  return stat.isDirectory() ? { root: full } : { root: dirname(full), path: relative(dirname(full), full) };
}
