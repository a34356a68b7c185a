// Copies a plugin's files into a folder. Nothing in it is run: neither git hooks nor npm install scripts.

import { existsSync } from "node:fs";
import { cp, mkdir, readdir, realpath, rm, symlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { LocalEnvironment } from "@lathe/agent";
import { abortAfter } from "@lathe/agent/base";
import type { ProgramArgv } from "@lathe/agent/world";
import type { Machine } from "../../platform/machine/machine.ts";
import { CliError, EXIT } from "../../platform/usage/exit.ts";
import { type PluginSource, shownSource } from "./source.ts";

/** Returns the links that led out of the plugin and were not copied. */
export async function fetchInto(machine: Machine, source: PluginSource, folder: string): Promise<readonly string[]> {
  await fetchFiles(machine, source, folder);
  return withoutLinksOut(folder);
}

/**
 * Links out of the marketplace lead nowhere; when a plugin of it is installed, the user is told about those in the
 * plugin.
 */
export async function fetchMarketplaceInto(machine: Machine, source: PluginSource, folder: string): Promise<void> {
  for (const link of await fetchInto(machine, source, folder)) await symlink(LEFT_OUT, join(folder, link));
}

const LEFT_OUT = ".left-out-by-lathe/";

async function withoutLinksOut(folder: string): Promise<readonly string[]> {
  const root = await realpath(folder);
  const removed: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const target = await realpath(path).catch(() => undefined);
    if (target === root || target?.startsWith(`${root}/`)) continue;
    await rm(path);
    removed.push(relative(folder, path));
  }
  return removed;
}

async function fetchFiles(machine: Machine, source: PluginSource, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  if (source.kind === "folder") {
    // Links stay links.
    await cp(source.path, folder, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !/\/\.git(?:\/|$)/.test(path.slice(source.path.length)),
    });
    return;
  }
  if (source.kind === "git") {
    const safe = ["-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never"];
    const branch = source.ref === undefined ? [] : ["--branch", source.ref];
    await run(machine, source, [
      "git",
      ...safe,
      "clone",
      "--quiet",
      "--depth",
      "1",
      ...branch,
      "--",
      source.url,
      folder,
    ]);
    await rm(`${folder}/.git`, { recursive: true, force: true });
    return;
  }
  const staging = `${folder}.npm`;
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { recursive: true });
  try {
    const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--omit=dev", "--install-links", "--silent"];
    await run(machine, source, ["npm", "install", ...quiet, "--prefix", staging, source.spec]);
    const name = Object.keys(await dependencies(staging))[0] ?? "";
    const installed = `${staging}/node_modules/${name}`;
    if (name === "" || !existsSync(installed))
      throw new CliError(EXIT.failed, `npm installed nothing for ${source.spec}.`);
    await cp(installed, folder, { recursive: true, verbatimSymlinks: true });
    // npm puts its dependencies next to it; here they go below it.
    await rm(installed, { recursive: true, force: true });
    await cp(`${staging}/node_modules`, `${folder}/node_modules`, { recursive: true, verbatimSymlinks: true });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function dependencies(folder: string): Promise<Readonly<Record<string, string>>> {
  const { readJsonFile } = await import("../../platform/home/json-file.ts");
  const manifest = (readJsonFile(`${folder}/package.json`) ?? {}) as { dependencies?: Record<string, string> };
  return manifest.dependencies ?? {};
}

/** git cannot ask the user for a password here. */
const VARIABLES = { GIT_TERMINAL_PROMPT: "0", GIT_LFS_SKIP_SMUDGE: "1" };
const PATIENCE_MS = 5 * 60_000;

async function run(machine: Machine, source: PluginSource, argv: ProgramArgv): Promise<void> {
  const env = new LocalEnvironment({
    cwd: machine.cwd,
    baseEnv: machine.env,
    envPolicy: "inherit_all",
    owner: machine.deps.uuid(),
  });
  try {
    const program = await env.startProcess(argv, { env: VARIABLES, signal: abortAfter(PATIENCE_MS) });
    await program.endInput();
    for await (const _ of program.stdout); // Reads the output, so that the program does not block.
    const { exitCode } = await program.exited;
    if (exitCode === 0) return;
    const lines = program.readStderr().text.trim().split("\n");
    const said = lines.find((line) => /^(?:fatal|error|npm error)/.test(line)) ?? lines.at(-1) ?? "";
    throw new CliError(
      EXIT.failed,
      `${shownSource(source)} could not be fetched: ${said || `${argv[0]} ended with code ${exitCode}`}`,
    );
  } finally {
    await env.cleanup();
  }
}
