// Checks for a newer version of the npm package that Lathe was installed from, if the user named it. The last answer is
// shown at once; npm is asked at most once a day, in the background. It uses the user's registry and proxy; without npm
// or a network nothing is shown.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { LocalEnvironment } from "@lathe/agent";
import { quoteShell } from "@lathe/agent/world";
import { readJsonFile, replaceFile } from "../../platform/home/json-file.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import type { Workspace } from "../workspace/workspace.ts";

const DAY_MS = 86_400_000;
const PATIENCE_MS = 20_000;
const VERSION = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

/** A valid npm package name; nothing else may get near a command line. */
const PACKAGE_NAME = /^(?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*$/;

interface Answer {
  readonly package: string;
  readonly version: string;
  /** When npm was last asked, in epoch milliseconds. */
  readonly at: number;
}

export const isPackageName = (name: string): boolean => PACKAGE_NAME.test(name);

export interface VersionNotice {
  /** One line; undefined if there is nothing to say. */
  readonly line: string | undefined;
  /** Asks npm if the last answer is old; the result is for later starts. Never rejects. */
  refresh(): Promise<void>;
}

export function versionNotice(workspace: Workspace, own: string = LATHE_VERSION): VersionNotice {
  const { machine, paths, settings } = workspace;
  const name = settings["updates.package"];
  if (!isPackageName(name)) return { line: undefined, refresh: async () => {} };
  const file = join(paths.cache, "newest-version.json");
  const known = read(file, name);
  const line =
    known && isNewer(known.version, own)
      ? `Version ${known.version} is out; this is ${own}. To update: lathe update. To turn this off: lathe config unset updates.package`
      : undefined;
  return {
    line,
    refresh: async () => {
      const now = machine.deps.now();
      if (known && now - known.at < DAY_MS) return;
      const version = await newestVersion(workspace, name);
      const answer: Answer = { package: name, version: version ?? known?.version ?? own, at: now };
      // Also written without an answer: an offline machine should not ask again at each start.
      mkdirSync(paths.cache, { recursive: true, mode: 0o700 });
      await replaceFile(file, JSON.stringify(answer)).catch(() => {});
    },
  };
}

function read(file: string, name: string): Answer | undefined {
  try {
    const { package: of, version, at } = readJsonFile(file) as Partial<Answer>;
    if (of !== name || typeof version !== "string" || typeof at !== "number" || !VERSION.test(version))
      return undefined;
    return { package: name, version, at };
  } catch {
    return undefined; // missing or damaged: npm is asked again
  }
}

/** The newest version according to npm with the user's configuration; undefined without an answer. */
export async function newestVersion({ machine }: Workspace, name: string): Promise<string | undefined> {
  // Without a network npm would retry for longer than a user waits; tomorrow is soon enough.
  const command = `npm view ${quoteShell(name)} version --loglevel=silent --fetch-retries=0`;
  const { exitCode, stdout } = await runForUser(machine, command, PATIENCE_MS);
  return exitCode === 0 && VERSION.test(stdout.trim()) ? stdout.trim() : undefined;
}

/** Runs the user's own program as configured for them: nothing that a project brings is involved. */
export async function runForUser(
  { userHome, env, deps }: Machine,
  command: string,
  timeoutMs: number,
  onOutput?: (text: string) => void,
) {
  const environment = new LocalEnvironment({
    cwd: userHome,
    baseEnv: env,
    envPolicy: "inherit_all",
    owner: deps.uuid(),
  });
  try {
    return await environment.execCommand(command, timeoutMs, { internal: true, ...(onOutput ? { onOutput } : {}) });
  } finally {
    await environment.cleanup();
  }
}

/** Compares the numbers of two versions; one with a suffix comes before the one without. */
export function isNewer(other: string, own: string): boolean {
  const [a, b] = [parts(other), parts(own)];
  for (let at = 0; at < 3; at++) if (a.numbers[at] !== b.numbers[at]) return a.numbers[at]! > b.numbers[at]!;
  return a.suffix === "" ? b.suffix !== "" : b.suffix !== "" && a.suffix > b.suffix;
}

function parts(version: string): { readonly numbers: readonly number[]; readonly suffix: string } {
  const [numbers = "", suffix = ""] = version.split(/-(.*)/s);
  return { numbers: numbers.split(".").map(Number), suffix };
}
