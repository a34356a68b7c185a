// What the operator allows through LATHE_COORDINATOR_MCP_*: folders, changes, the command that starts sessions, limits,
// and the namespace.

import { realpathSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve, sep } from "node:path";
import { usageError } from "../../platform/usage/exit.ts";
import { CoordinatorRefusal, MUTATIONS, type Mutation } from "./contract.ts";

type Variables = Readonly<Record<string, string | undefined>>;

export const VARIABLE = "LATHE_COORDINATOR_MCP_";
const DEFAULT_CAP = 65_536;
const MOST_CAP = 1_048_576;
const PART_OF_NAMESPACE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export interface Configuration {
  /** Real paths. If empty, nothing is allowed. */
  readonly roots: readonly string[];
  /** Allowed folders that do not exist: nothing below them is allowed. */
  readonly missing: readonly string[];
  readonly mutations: ReadonlySet<Mutation>;
  /** Program and arguments; without them, no session can be started. */
  readonly sessionCommand: readonly string[] | undefined;
  readonly artifactCap: number;
  /** `folder` holds the state and is below `base`; no link may lead out of `base`. */
  readonly state: { readonly base: string; readonly folder: string };
  readonly profile: string;
  readonly repo: string;
}

export function readConfiguration(env: Variables, cwd: string): Configuration {
  const value = (name: string): string | undefined => env[VARIABLE + name] || undefined;
  const given = value("STATE_ROOT");
  const base = resolve(cwd, given ?? ".");
  const profile = namespacePart("PROFILE", value("PROFILE"));
  const repo = namespacePart("REPO", value("REPO"));
  const below = given === undefined ? [".lathe", "state", "coordinator-mcp"] : [];
  return {
    ...rootsOf(value("WORKDIR_ROOTS") ?? ""),
    mutations: mutationsOf(value("MUTATIONS") ?? ""),
    sessionCommand: wordsOf(value("SESSION_COMMAND") ?? ""),
    artifactCap: capOf(value("ARTIFACT_BYTE_CAP")),
    state: { base, folder: join(base, ...below, profile, repo) },
    profile,
    repo,
  };
}

/** A missing part means the namespace `default`, never all of them. */
function namespacePart(name: string, value = "default"): string {
  if (PART_OF_NAMESPACE.test(value)) return value;
  throw usageError(`${VARIABLE}${name} is a name of letters, digits, ".", "-" and "_". Not "${value.slice(0, 80)}".`);
}

/** A missing folder must not take away the sessions in the others. */
function rootsOf(text: string): Pick<Configuration, "roots" | "missing"> {
  const separator = delimiter === ":" ? /[:,;\n]/ : /[,;\n]/;
  const roots: string[] = [];
  const missing: string[] = [];
  for (const path of text.split(separator).map((one) => one.trim())) {
    if (path === "") continue;
    if (!isAbsolute(path))
      throw usageError(`${VARIABLE}WORKDIR_ROOTS takes absolute paths. Not "${path.slice(0, 80)}".`);
    try {
      roots.push(realpathSync(path));
    } catch {
      missing.push(path);
    }
  }
  return { roots, missing };
}

/** One line per missing folder. */
export const missingRoots = ({ missing }: Configuration): readonly string[] =>
  missing.map((path) => `${VARIABLE}WORKDIR_ROOTS names a folder that does not exist: ${path.slice(0, 200)}`);

function mutationsOf(text: string): ReadonlySet<Mutation> {
  const words = text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  if (words.includes("all")) return new Set(MUTATIONS);
  const strange = words.find((word) => !(MUTATIONS as readonly string[]).includes(word));
  if (strange === undefined) return new Set(words as Mutation[]);
  throw usageError(`${VARIABLE}MUTATIONS knows ${MUTATIONS.join(", ")} and all. Not "${strange.slice(0, 80)}".`);
}

function capOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_CAP;
  const bytes = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (bytes < 1) throw usageError(`${VARIABLE}ARTIFACT_BYTE_CAP is a number of bytes, at most ${MOST_CAP}.`);
  return Math.min(bytes, MOST_CAP);
}

/** Splits words and quoted words as a shell would, but without variables or commands: no shell is involved. */
function wordsOf(text: string): readonly string[] | undefined {
  const words: string[] = [];
  const word = /\s*((?:"[^"]*"|'[^']*'|[^\s"'])+)/y;
  const line = text.trim();
  while (word.lastIndex < line.length) {
    const [, found] = word.exec(line) ?? [];
    if (found === undefined) throw usageError(`${VARIABLE}SESSION_COMMAND has a quote without an end.`);
    words.push(
      found.replace(/"([^"]*)"|'([^']*)'/g, (_all, double?: string, single?: string) => double ?? single ?? ""),
    );
  }
  return words.length === 0 ? undefined : words;
}

function noRoots(missing: readonly string[]): CoordinatorRefusal {
  const why = missing.length === 0 ? "" : ": none of those in the list is there";
  return new CoordinatorRefusal(
    "no_roots",
    `No folder is allowed${why}. Set ${VARIABLE}WORKDIR_ROOTS for the coordinator.`,
  );
}

/** The real path of a file or folder below an allowed folder. */
export function allowedPath({ roots, missing }: Configuration, path: string): string {
  if (roots.length === 0) throw noRoots(missing);
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    throw new CoordinatorRefusal("not_found", "There is nothing at this path.");
  }
  if (isAllowed({ roots }, real)) return real;
  throw new CoordinatorRefusal("outside_roots", "This path is not below the folders that the coordinator may use.");
}

/** `real` must be a path without links. */
export const isAllowed = ({ roots }: Pick<Configuration, "roots">, real: string): boolean =>
  roots.some((root) => isBelow(root, real));

const isBelow = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);

/** Checks the three conditions for a change; there is no other way to change anything. */
export function checkMutation(
  { roots, missing, mutations }: Configuration,
  needs: Mutation,
  allowMutation: boolean | undefined,
): void {
  if (roots.length === 0) throw noRoots(missing);
  if (!mutations.has(needs))
    throw new CoordinatorRefusal(
      "mutation_disabled",
      `Changes of ${needs} are not allowed. Add ${needs} to ${VARIABLE}MUTATIONS.`,
    );
  if (allowMutation !== true)
    throw new CoordinatorRefusal(
      "mutation_not_confirmed",
      "This call changes something: repeat it with allow_mutation: true.",
    );
}
