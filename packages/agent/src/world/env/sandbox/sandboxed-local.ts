// This machine, with commands in a sandbox: they see the system read-only, change files only below the roots, and reach
// only allowed hosts. File tools are limited to the same roots.

import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { monotonicClock } from "../../process/clock.ts";
import type { Confinement } from "../../process/confinement.ts";
import type { NamespaceSource } from "../../process/namespaces.ts";
import { GuardedEnvironment } from "../guarded.ts";
import { InsideFiles } from "../inside-files.ts";
import { isInside } from "../is-inside.ts";
import { LocalEnvironment, type LocalEnvironmentOptions } from "../local.ts";
import { realPathOf } from "../real-path.ts";
import { locateRipgrep } from "../search/locate-ripgrep.ts";
import { type ByteRange, type DirEntry, EnvError, type ReadOptions } from "../types.ts";
import { Bubblewrap } from "./bubblewrap.ts";
import { credentialStores, startupFiles } from "./credential-stores.ts";
import { InsideView } from "./inside-view.ts";
import { SandboxProxy } from "./proxy.ts";
import type { SandboxRules } from "./rules.ts";
import { Seatbelt } from "./seatbelt.ts";

/** The directory of a sandboxed environment, and what else it opens or protects. */
export interface SandboxOptions extends Omit<LocalEnvironmentOptions, "roots" | "confinement"> {
  /**
   * Folders that commands and file tools may write to, including the working directory; evaluated again for each
   * command.
   */
  readonly roots: () => readonly string[];
  /** The user's home directory, whose secrets are hidden. */
  readonly home: string;
  /** Hosts that commands may reach over HTTP and HTTPS: `example.org`, `*.example.com`, `host:8080`. None if absent. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** More files and folders that commands cannot read. */
  readonly hidden?: readonly string[] | undefined;
  /** More files and folders that commands cannot change, even inside a root. */
  readonly fixed?: readonly string[] | undefined;
  /** Names at the top of each root that commands cannot change. */
  readonly fixedNames?: readonly string[] | undefined;
  /** The bubblewrap program; found among the system's programs if absent. */
  readonly bwrap?: string | undefined;
  /** Path of node, which runs the bridge to allowed hosts; the one that runs this process if absent. */
  readonly node?: string | undefined;
  /** Folder for temporary files; the system's if absent. */
  readonly tempFolder?: string | undefined;
  /**
   * Called with a sentence about each item that commands left for git outside the sandbox and that we made harmless.
   */
  readonly onLeftover?: ((message: string) => void) | undefined;
  /** Namespaces that show files other than this machine's; file tools then work inside, too. Linux only. */
  readonly namespaces?: NamespaceSource | undefined;
}

/** Files and commands of this machine; the system confines commands (bubblewrap on Linux, seatbelt on macOS). */
export class SandboxedLocalEnvironment extends GuardedEnvironment {
  readonly #rules: SandboxRules;
  readonly #confinement: Confinement;

  constructor(options: SandboxOptions) {
    const rules = rulesOf(options);
    const confinement = confinementFor(rules, options);
    const { roots: _, ...local } = options;
    const inner = new LocalEnvironment({ ...local, confinement });
    super(options.namespaces ? new InsideFiles(inner) : new InsideView(inner, confinement), {
      mayWrite: (path) => mayWrite(path, rules, confinement),
    });
    this.#rules = rules;
    this.#confinement = confinement;
  }

  override get isSandboxed(): boolean {
    return true;
  }

  override get privateFolders(): readonly string[] {
    return this.#confinement.privateFolders;
  }

  /** Fails if the system does not let us confine commands: nothing ever runs unconfined instead. */
  override async initialize(): Promise<void> {
    await super.initialize();
    await this.#confinement.ready();
  }

  override async readFile(path: string, offset?: number, limit?: number): Promise<string> {
    return super.readFile(await this.#readable(path), offset, limit);
  }

  override async readBytes(path: string, range?: ByteRange, options?: ReadOptions): Promise<Uint8Array> {
    return super.readBytes(await this.#readable(path), range, options);
  }

  override async listDirectory(path: string, depth: number): Promise<DirEntry[]> {
    return super.listDirectory(await this.#readable(path), depth);
  }

  async #readable(path: string): Promise<string> {
    const real = await realPathOf(this.inner, this.resolve(path));
    if (!this.#rules.hidden.some((hidden) => isInside(real, hidden))) return path;
    throw new EnvError("not_permitted", `Not readable in the sandbox: ${path} may hold keys or passwords.`, {
      path: real,
    });
  }
}

function confinementFor(rules: SandboxRules, options: SandboxOptions): Confinement {
  const { allowedHosts = [], node = process.execPath, tempFolder = tmpdir(), clock = monotonicClock, bwrap } = options;
  const { baseEnv, search, namespaces, home, onLeftover } = options;
  if (process.platform === "darwin") return new Seatbelt(rules, tempFolder);
  const door =
    allowedHosts.length === 0 ? undefined : new SandboxProxy({ allowed: allowedHosts, node, variables: baseEnv });
  const programs = async (): Promise<string[]> => {
    const ripgrep = search === "builtin" ? undefined : await locateRipgrep(baseEnv["PATH"]);
    return ripgrep === undefined ? [] : [ripgrep];
  };
  return new Bubblewrap({ rules, home, clock, tempFolder, bwrap, door, programs, namespaces, onLeftover });
}

function rulesOf({ roots, home, hidden = [], fixed = [], fixedNames = [] }: SandboxOptions): SandboxRules {
  const realRoots = new Map<string, string>();
  return {
    // Resolved once, because a command could replace a root inside another root by a link.
    roots: () => [...new Set(roots().map((root) => realRoots.get(root) ?? rememberRealPath(root, realRoots)))],
    hidden: [...credentialStores(home), ...hidden],
    fixed: [...startupFiles(home), ...fixed],
    fixedNames,
  };
}

function rememberRealPath(root: string, known: Map<string, string>): string {
  const real = realpathSync(root);
  known.set(root, real);
  return real;
}

function mayWrite(path: string, rules: SandboxRules, confinement: Confinement): true | string {
  const roots = rules.roots();
  const folders = [...roots, ...confinement.privateFolders];
  if (!roots.some((root) => isInside(path, root)) && !confinement.isPrivate(path)) {
    const isAbove = confinement.privateFolders.some((folder) => isInside(path, folder));
    const but = isAbove ? ", except in folders that only lead to another of them" : "";
    return `The sandbox can write only below ${folders.join(", ")}${but}. Write there, or ask the user to add the folder.`;
  }
  if (/\/\.git(?:\/|$)/.test(path))
    return "Repositories are read-only for file tools in the sandbox: use git, which cannot change hooks and configuration.";
  return true;
}
