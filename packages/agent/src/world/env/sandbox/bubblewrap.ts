// Confines commands on Linux. The session owns one pair of process and network namespaces, which a holder keeps open;
// for each command, bubblewrap enters them and shows the command only what the layout lists (decision 0160).

import { lstatSync, mkdirSync, mkdtempSync, realpathSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Clock } from "../../process/clock.ts";
import type { ConfinedStart, Confinement } from "../../process/confinement.ts";
import {
  bubblewrapVersion,
  type NamespaceSource,
  type Namespaces,
  NamespacesRefused,
  openNamespaces,
  STARTER_ENV,
} from "../../process/namespaces.ts";
import type { ExecResult, ProgramArgv } from "../../process/types.ts";
import { isInside } from "../is-inside.ts";
import { VARIABLES_OUT } from "./credential-stores.ts";
import { GitGuard } from "./git-guard.ts";
import { sandboxHint } from "./hints.ts";
import { bubblewrapArguments, type Layout, type OwnFolders, PRIVATE_FOLDERS, privateParents } from "./layout.ts";
import type { NetworkDoor } from "./network-door.ts";
import { forbiddenError, tooWide } from "./refusal.ts";
import type { SandboxRules } from "./rules.ts";
import { namedPipes, openSockets } from "./sockets.ts";
import { argvVariable, keeper, startFromVariable, systemProgram } from "./starting.ts";
import { systemCallFilter } from "./system-call-filter.ts";

/** The sandbox does not show the host's content of these folders. */
const COVERED = [...PRIVATE_FOLDERS, "/run"];

export interface BubblewrapOptions {
  readonly rules: SandboxRules;
  readonly home: string;
  readonly clock: Clock;
  /** The host's folder for temporary files. */
  readonly tempFolder: string;
  /** Found among the system's programs if absent. */
  readonly bwrap?: string | undefined;
  /** Programs that we run inside, wherever they are installed. */
  readonly programs?: (() => Promise<readonly string[]>) | undefined;
  /** Absent: no network. */
  readonly door?: NetworkDoor | undefined;
  /** Opens the sandbox's namespaces; if absent, those show the host's files. */
  readonly namespaces?: NamespaceSource | undefined;
  /**
   * Called with a sentence about each item that commands left for git outside the sandbox and that we made harmless.
   */
  readonly onLeftover?: ((message: string) => void) | undefined;
}

export class Bubblewrap implements Confinement {
  readonly starters = new Set(["bwrap", "nsenter"]);
  readonly hasOwnNetwork = true;
  readonly privateFolders = PRIVATE_FOLDERS;
  readonly #options: BubblewrapOptions;
  readonly #git: GitGuard;
  /** Sentences to add to the result of the next command. */
  readonly #leftovers: string[] = [];
  /** Pipes that existed before the first command. */
  #pipes: readonly string[] = [];
  /** Folders that were created as mount points. */
  readonly #made: string[] = [];
  /** Our programs that a private folder would hide. */
  #programs: readonly string[] = [];
  #own: OwnFolder | undefined;
  #opening: Promise<Namespaces> | undefined;
  #namespaces: Namespaces | undefined;
  #forbidsUserNamespaces = false;

  constructor(options: BubblewrapOptions) {
    this.#options = options;
    this.#git = new GitGuard(options.namespaces === undefined, (message) => {
      this.#leftovers.push(message);
      options.onLeftover?.(message);
    });
  }

  get folder(): string | undefined {
    return this.#own?.folder;
  }

  async ready(): Promise<void> {
    const roots = this.#options.rules.roots();
    // Checked before the search for repositories, which would scan the whole machine.
    if (roots.includes("/")) throw tooWide("/");
    await this.#git.learn(roots);
    if (this.#namespaces?.isOpen) return;
    const closing = this.#namespaces?.close();
    this.#namespaces = undefined;
    await closing;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    this.#namespaces = await this.#opening;
  }

  hostPath(path: string): string {
    const own = this.#ownFolders();
    const isShown = [own.folder, ...this.#options.rules.roots(), ...this.#programs].some((shown) =>
      isInside(path, shown),
    );
    const inside = PRIVATE_FOLDERS.find((folder) => isInside(path, folder));
    return isShown || inside === undefined ? path : join(hostFolder(own, inside), relative(inside, path));
  }

  insidePath(path: string): string {
    const own = this.#ownFolders();
    const inside = PRIVATE_FOLDERS.find((folder) => isInside(path, hostFolder(own, folder)));
    return inside === undefined ? path : join(inside, relative(hostFolder(own, inside), path));
  }

  /**
   * The sandbox's own folder may be in /tmp, too: only the parts of it that the sandbox shows are private. Folders that
   * lead to a project are recreated.
   */
  isPrivate(path: string): boolean {
    const stands = privateParents([...this.#options.rules.roots(), ...this.#programs]);
    if (stands.some((stand) => isInside(path, stand))) return false;
    const host = this.hostPath(path);
    return PRIVATE_FOLDERS.some((folder) => isInside(host, hostFolder(this.#ownFolders(), folder)));
  }

  confine(argv: ProgramArgv, { cwd, env, terminal = false }: Parameters<Confinement["confine"]>[1]): ConfinedStart {
    const { door } = this.#options;
    const layout = this.#layout();
    const setup = bubblewrapArguments(layout, {
      cwd,
      env: {
        ...withoutAgentVariables(env, door !== undefined),
        TMPDIR: "/tmp",
        ...door?.variables,
        ...argvVariable(argv),
      },
      forbidsUserNamespaces: this.#forbidsUserNamespaces,
      terminal,
    });
    const bwrap = [...this.#namespaces!.enter, this.#bwrap(), "--args", "3"];
    return {
      argv: [...this.#withFilter(bwrap), "--", ...startFromVariable()],
      env: STARTER_ENV,
      cwd: this.hostPath(cwd),
      setup: Buffer.from(setup.map((argument) => `${argument}\0`).join("")),
    };
  }

  /** Sockets and pipes of other programs come and go at any time. */
  hasMissedItsStart({ exitCode, output }: ExecResult): boolean {
    return exitCode === 1 && /^bwrap: Can't (?:create|bind|find)[^\n]*\n?$/.test(output);
  }

  explain(result: ExecResult): string | undefined {
    const { rules, door } = this.#options;
    this.#git.noteEnd();
    const hint = sandboxHint(result, { roots: rules.roots(), allowedHosts: door?.allowed ?? [] });
    const notes = [...(hint === undefined ? [] : [hint]), ...this.#leftovers.splice(0)];
    return notes.length === 0 ? undefined : notes.join(" ");
  }

  async end(): Promise<void> {
    const namespaces = this.#namespaces ?? (await this.#opening?.catch(() => undefined));
    this.#namespaces = undefined;
    await namespaces?.close();
    await this.#options.door?.close();
    await this.#git.end();
    if (this.#own) rmSync(this.#own.folder, { recursive: true, force: true, maxRetries: 3 });
    this.#own = undefined;
    for (const path of this.#made.splice(0).reverse()) removeIfEmpty(path);
  }

  async #open(): Promise<Namespaces> {
    const { rules, clock, door, namespaces } = this.#options;
    const programs = { bwrap: this.#bwrap(), nsenter: systemProgram("nsenter") };
    const [major, minor] = bubblewrapVersion(programs.bwrap);
    this.#forbidsUserNamespaces = major > 0 || minor >= 8;
    const { folder } = this.#ownFolders();
    if (namespaces === undefined) this.#pipes = await namedPipes(rules.roots(), this.#options.home);
    const ours = (await this.#options.programs?.()) ?? [];
    this.#programs = ours.filter((path) => COVERED.some((covered) => isInside(path, covered)));
    this.#layout();
    const bridge = await door?.open(folder);
    try {
      const first = keeper(bridge);
      return await (namespaces?.open(first) ?? openNamespaces({ programs, keeper: first, clock }));
    } catch (error) {
      throw error instanceof NamespacesRefused ? forbiddenError(error.said) : error;
    }
  }

  #bwrap(): string {
    return this.#options.bwrap ?? systemProgram("bwrap");
  }

  /** The current layout: roots may be added, and sockets come and go. */
  #layout(): Layout {
    const { rules } = this.#options;
    const roots = rules.roots();
    const named = rules.fixedNames.flatMap((name) => roots.map((root) => join(root, name)));
    for (const path of named) this.#makeFolder(path);
    const fixed = rules.fixed.filter((path) => roots.some((root) => isInside(path, root)));
    const hidden = rules.hidden.map(realPath).filter((path) => path !== undefined);
    return {
      roots,
      git: this.#git.mountsOf(roots),
      fixed: [...named, ...fixed],
      programs: this.#programs,
      hiddenFolders: hidden.filter(isFolder),
      hiddenFiles: [...hidden.filter((path) => !isFolder(path)), ...this.#pipes.filter(isPipe), ...openSockets(roots)],
      own: this.#ownFolders(),
    };
  }

  #ownFolders(): OwnFolder {
    this.#own ??= makeOwn(this.#options.tempFolder);
    return this.#own;
  }

  /** A shell opens the filter, because the one descriptor that bubblewrap reads from is already in use. */
  #withFilter(bwrap: readonly string[]): ProgramArgv {
    const { filter } = this.#ownFolders();
    if (filter === undefined) return bwrap as ProgramArgv;
    return ["/bin/sh", "-c", 'exec "$@" 9<"$0"', filter, ...bwrap, "--seccomp", "9"];
  }

  #makeFolder(path: string): void {
    if (lstatSync(path, { throwIfNoEntry: false })) return;
    mkdirSync(path);
    this.#made.push(path);
  }
}

interface OwnFolder extends OwnFolders {
  readonly folder: string;
  /** The file with the system call filter. */
  readonly filter: string | undefined;
}

function makeOwn(tempFolder: string): OwnFolder {
  const folder = realpathSync(mkdtempSync(join(tempFolder, "lathe-sandbox-")));
  const filter = systemCallFilter(process.arch);
  const own = {
    folder,
    filter: filter && join(folder, "filter"),
    tmp: join(folder, "tmp"),
    varTmp: join(folder, "var-tmp"),
    nothing: join(folder, "nothing"),
    emptyFile: join(folder, "empty"),
  };
  for (const path of [own.tmp, own.varTmp, own.nothing]) mkdirSync(path, { mode: 0o700 });
  writeFileSync(own.emptyFile, "", { mode: 0o400 });
  if (filter) writeFileSync(own.filter!, filter, { mode: 0o400 });
  return own;
}

function hostFolder(own: OwnFolders, inside: (typeof PRIVATE_FOLDERS)[number]): string {
  return inside === "/tmp" ? own.tmp : own.varTmp;
}

function withoutAgentVariables(env: Record<string, string>, proxied: boolean): Record<string, string> {
  const isOut = (name: string): boolean => VARIABLES_OUT.has(name) || (proxied && /_proxy$/i.test(name));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isOut(name)));
}

function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // A program with permission to do so put something there; keep it.
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // nothing there to hide
  }
}

const isPipe = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFIFO() ?? false;
const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
