// The rule that would answer a question permanently: as broad as users mean it ("npm test", whatever follows), but
// never for commands that are dangerous, doubtful or could be anything.

import { posix } from "node:path";
import type { ShellPart } from "../../contract/shell.ts";
import { isInterpreter } from "../shell/interpreters.ts";
import { type CommandAccess, type Item, tierOf } from "./match.ts";
import { beyondRule } from "./outside-words.ts";
import { readRule } from "./rule.ts";
import { isCredentialFile, isProtected } from "./sensitive-paths.ts";
import { isInRoots, type Places } from "./verdict.ts";

/** Programs whose first word determines what they do. */
const WITH_SUBCOMMANDS = new Set([
  ...["git", "npm", "pnpm", "yarn", "bun", "deno", "cargo", "go", "rustup", "pip", "pip3", "uv", "poetry", "pipenv"],
  ...["bundle", "gem", "rake", "mix", "dotnet", "mvn", "gradle", "gradlew", "docker", "podman", "kubectl", "helm"],
  ...["terraform", "gh", "glab", "brew", "apt", "apt-get", "dnf", "systemctl", "make", "just", "task", "nx", "turbo"],
  ...["composer", "php", "swift", "flutter", "dart", "conda", "hatch", "pdm", "rails", "npx", "pnpx", "bunx", "uvx"],
  ...["mise", "asdf", "rbenv", "pyenv", "nodenv", "goenv", "jenv", "nvm", "fnm", "volta", "nix", "devbox"],
  ...["rye", "pixi", "mamba", "micromamba", "opam", "stack", "cabal", "doppler", "op", "aws-vault", "chamber"],
  ...["nerdctl", "docker-compose", "podman-compose", "flatpak", "snap", "toolbox", "distrobox", "limactl"],
]);

/** Words after which the next one matters as well: `npm run build`. */
const RUNNERS = new Set(["run", "exec", "run-script", "x", "dlx", "compose", "container", "tool"]);

/** Subcommands of git that consist of others, some of which drop work: `git worktree add`. */
const GROUPS = new Set(["lfs", "maintenance", "notes", "reflog", "remote", "stash", "submodule", "worktree"]);

/** Programs that run whatever they are given, in addition to the interpreters that the analysis knows. */
const RUNS_TEXT = new Set([
  "awk",
  "gawk",
  "mawk",
  "nawk",
  "eval",
  "jshell",
  "julia",
  "groovy",
  "scala",
  "elixir",
  "iex",
]);

/** Many names contain versions: python3.12, perl5.36, ruby2.7. */
function runsWhatItIsGiven(name: string): boolean {
  const plain = name.toLowerCase();
  return [plain, plain.replace(/[-_.\d]+$/, "")].some((each) => isInterpreter(each) || RUNS_TEXT.has(each));
}

/** Options of interpreters that are followed by code. */
const CODE = /^(-[a-zA-Z]*[cepr]|--eval|--print|--command|--execute|-)$/;

/** If nothing follows, any program only prints information about itself. */
const ASKS_ABOUT_ITSELF = /^(--version|--help|-v|-V|version)$/;

/** Programs whose words, or the files that these name, contain further commands. */
const WHOLE = /^(?:sed|sqlite3|psql|mysql|ex|ed|vim?|nvim|emacs|m4|bc|osascript)$/;

/** In a container, any program may follow. */
const IN_CONTAINER = /^(?:docker|podman|nerdctl)(?:-compose| compose| container)? (?:run|exec|create) /;

/** Whether its words contain further commands: only the whole command is offered. */
function isWholeOnly(name: string, words: readonly string[]): boolean {
  return (
    WHOLE.test(name) ||
    (name === "git" && (words[1] === "config" || isBareGroup(words))) ||
    IN_CONTAINER.test([name, ...words.slice(1)].join(" "))
  );
}

/** `git stash`, `git stash -u`: a broader pattern would also cover `git stash pop`. */
const isBareGroup = ([, first = "", second]: readonly string[]): boolean =>
  GROUPS.has(first) && (second === undefined || second.startsWith("-"));

/**
 * Undefined if only this one call should be allowed. `covers`: whether a pattern that begins with these words covers
 * this command.
 */
export function suggestedCommand(part: ShellPart, covers?: (fixed: readonly string[]) => boolean): string | undefined {
  const { words, unknown, danger, doubt, isElsewhere, assignments } = part;
  const [program = ""] = words;
  if (danger || doubt !== undefined || isElsewhere || assignments.length > 0 || program === "") return undefined;
  if (unknown.length === 0 && words.length === 2 && ASKS_ABOUT_ITSELF.test(words[1] ?? ""))
    return `shell(${words.join(" ")})`;
  if (isWholeOnly(posix.basename(program), words) || covers?.(fixedWords(words) ?? words) === false)
    return wholeCommand(words, unknown.length === 0);
  const fixed = fixedWords(words);
  if (fixed === undefined || unknown.some((at) => at < fixed.length)) return undefined;
  if (!fixed.every((word) => /^[\w@%+=:,./~-]+$/.test(word))) return undefined;
  return `shell(${[...fixed, "*"].join(" ")})`;
}

/** A rule for exactly this command. */
function wholeCommand(words: readonly string[], isKnown: boolean): string | undefined {
  if (!isKnown || !words.every((word) => /^[^*"'\n\r\t()\\]+$/.test(word))) return undefined;
  return `shell(${words.map((word) => (/^[\w@%+=:,./~-]+$/.test(word) ? word : `"${word}"`)).join(" ")})`;
}

function fixedWords(words: readonly string[]): readonly string[] | undefined {
  const [program = "", first, second] = words;
  const name = posix.basename(program);
  if (WITH_SUBCOMMANDS.has(name)) {
    if (first === undefined) return [program];
    // Options before the subcommand may change everything about it.
    if (first.startsWith("-")) return undefined;
    if (name === "git" && GROUPS.has(first)) return words.slice(0, 3);
    if (!RUNNERS.has(first)) return [program, first];
    return second === undefined || second.startsWith("-") ? undefined : [program, first, second];
  }
  if (!runsWhatItIsGiven(name)) return [program];
  if (first === undefined || CODE.test(first)) return undefined;
  if (first === "-m" || first === "--test") return second === undefined ? [program, first] : [program, first, second];
  return first.startsWith("-") ? undefined : [program, first];
}

/**
 * Rules that would allow these things in this project; undefined if one of them must not be allowed permanently.
 * `tool`: the name of a tool that never declares what it touches, so that it can only be allowed as a whole.
 */
export function suggestedRules(items: readonly Item[], places: Places, tool?: string): string[] | undefined {
  const rules = items.map((item) => {
    if (item.kind !== "undeclared") return suggestedFor(item, places);
    return tool === undefined || items.length > 1 ? undefined : wholeTool(tool);
  });
  if (rules.length === 0 || rules.includes(undefined)) return undefined;
  return [...new Set(rules as string[])];
}

/** Names that mean more than one tool in a rule: a tier, any shell, all tools of a server. */
const WIDER = new Set(["shell", "read", "write", "exec", "network"]);

function wholeTool(name: string): string | undefined {
  const rule = readRule(name);
  return "subject" in rule && rule.subject === name && !WIDER.has(name) ? name : undefined;
}

function suggestedFor(item: Item, places: Places): string | undefined {
  switch (item.kind) {
    case "exec":
      return item.part && suggestedCommand(item.part, (named) => coversAll(item, places, named));
    case "network":
      // No rule opens a port.
      if (item.closedPort !== undefined) return undefined;
      return /^[\w.-]+$/.test(item.host) ? `network(${item.host})` : undefined;
    case "read":
    case "write":
      if (isCredentialFile(item.path, places) || isProtected(item.path, places)) return undefined;
      return `${tierOf(item)}(${folderPattern(item.path, places)})`;
    default:
      return undefined;
  }
}

const coversAll = (item: CommandAccess, places: Places, named: readonly string[]): boolean =>
  beyondRule(item, places, { named, isStrict: true }) === undefined;

/** Everything in the folder of the file; at the top of the project only the file itself. */
function folderPattern(path: string, places: Places): string {
  const [project = "/"] = places.roots;
  const below = isInRoots(path, { ...places, roots: [project] }) ? posix.relative(project, path) : path;
  const folder = posix.dirname(below);
  const literal = (text: string): string => text.replace(/[*?[\]\\]/g, "\\$&");
  const pattern = folder === "." || folder === "/" ? literal(below) : `${literal(folder)}/**`;
  // `./` marks a folder called `~`, which is not the home directory, and a file at the top, whose bare name would match
  // at any depth.
  return pattern.startsWith("~") || !pattern.includes("/") ? `./${pattern}` : pattern;
}
