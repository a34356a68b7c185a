// Confines commands on macOS with a profile for sandbox-exec. This is only partial: there are no namespaces, so
// commands see other processes, a daemon that drops every mark outlives the session, TMPDIR is the only replacement of
// /tmp, and there is no network at all.

import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ConfinedStart, Confinement } from "../../process/confinement.ts";
import type { ExecResult, ProgramArgv } from "../../process/types.ts";
import { isInside } from "../is-inside.ts";
import { VARIABLES_OUT } from "./credential-stores.ts";
import { FIXED_PARTS } from "./git-places.ts";
import { sandboxHint } from "./hints.ts";
import { missingProgram } from "./refusal.ts";
import type { SandboxRules } from "./rules.ts";

const PROGRAM = "/usr/bin/sandbox-exec";

/** Later rules win. `temp`: the folder for temporary files. */
export function seatbeltProfile(rules: SandboxRules, temp: string): string {
  const roots = rules.roots();
  const fixed = [...rules.fixedNames.flatMap((name) => roots.map((root) => join(root, name))), ...rules.fixed];
  const git = roots.flatMap((root) => FIXED_PARTS.map((name) => join(root, ".git", name)));
  return [
    "(version 1)",
    "(allow default)",
    "(deny network*)",
    '(allow network* (local ip "localhost:*") (remote ip "localhost:*"))',
    "(deny file-write*)",
    ...[...roots, temp].map((path) => `(allow file-write* (subpath ${quote(path)}))`),
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/fd/"))',
    ...[...git, ...fixed].map((path) => `(deny file-write* (subpath ${quote(path)}))`),
    ...rules.hidden.map((path) => `(deny file-read* file-write* (subpath ${quote(path)}))`),
    "(deny file-write-setugid)",
    "(deny process-info* (target others))",
    "(deny signal (target others))",
    "",
  ].join("\n");
}

const quote = (path: string): string => `"${path.replace(/["\\]/g, "\\$&")}"`;

export class Seatbelt implements Confinement {
  readonly starters: ReadonlySet<string> = new Set();
  readonly #rules: SandboxRules;
  readonly #tempFolder: string;
  #temp: string | undefined;

  constructor(rules: SandboxRules, tempFolder: string) {
    this.#rules = rules;
    this.#tempFolder = tempFolder;
  }

  get privateFolders(): readonly string[] {
    return this.#temp === undefined ? [] : [this.#temp];
  }

  get folder(): string | undefined {
    return this.#temp;
  }

  async ready(): Promise<void> {
    if (!existsSync(PROGRAM)) throw missingProgram("sandbox-exec");
    this.#temp ??= realpathSync(mkdtempSync(join(this.#tempFolder, "lathe-sandbox-")));
  }

  /** All paths are the same inside. */
  hostPath(path: string): string {
    return path;
  }

  insidePath(path: string): string {
    return path;
  }

  isPrivate(path: string): boolean {
    return this.privateFolders.some((folder) => isInside(path, folder));
  }

  confine(
    argv: ProgramArgv,
    { cwd, env }: { readonly cwd: string; readonly env: Record<string, string> },
  ): ConfinedStart {
    const temp = this.#temp!;
    const inside = Object.fromEntries(Object.entries(env).filter(([name]) => !VARIABLES_OUT.has(name)));
    return {
      argv: [PROGRAM, "-p", seatbeltProfile(this.#rules, temp), ...argv],
      env: { ...inside, TMPDIR: temp },
      cwd,
    };
  }

  explain(result: ExecResult): string | undefined {
    return sandboxHint(result, { roots: this.#rules.roots(), allowedHosts: [] });
  }

  async end(): Promise<void> {
    if (this.#temp !== undefined) rmSync(this.#temp, { recursive: true, force: true });
    this.#temp = undefined;
  }
}
