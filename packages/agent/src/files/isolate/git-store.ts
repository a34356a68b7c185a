// Git as a tool for trees and merges, with a separate store: the user's index, refs, hooks and configuration are never
// used. Objects of the user's repository are borrowed; new ones are written here.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NO_TRANSPORT } from "../../world/env/inert-git.ts";
import type { Processes } from "../../world/process/processes.ts";
import type { ProgramArgv } from "../../world/process/types.ts";

/** The git program with one store. */
export interface GitStore {
  readonly gitDir: string;
  run(args: readonly string[], options?: GitRun): Promise<Buffer>;
  /** Never throws for an exit code, which is part of the result. */
  ask(args: readonly string[], options?: GitRun): Promise<GitAnswer>;
}

export interface GitRun {
  readonly index?: string | undefined;
  readonly workTree?: string | undefined;
  readonly stdin?: Uint8Array | undefined;
  /**
   * Prefix of the command line that starts git inside a namespace. New objects are then written without checking for
   * existing ones, because inside a view the project's objects are the view's.
   */
  readonly enter?: readonly string[] | undefined;
  /** The subcommand does not accept literal paths. */
  readonly hasPatterns?: boolean | undefined;
}

export interface GitAnswer {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** `checkout-index` does not report why it failed; it writes only to our folders. */
const FULL_DISK = /No space left on device|Disk quota exceeded|unable to write file/;

/** The message for a full disk. */
export const NO_SPACE = "No space is left on the disk with the isolated copies. Free some space and try again.";

/** Git failed to do what we asked. */
export class GitFailed extends Error {
  constructor(args: readonly string[], { exitCode, stderr }: GitAnswer) {
    const said = FULL_DISK.test(stderr) ? NO_SPACE : stderr.trim();
    super(said === NO_SPACE ? said : `git ${args[0]} failed: ${said || `exit code ${exitCode}`}`);
    this.name = "GitFailed";
  }
}

export interface GitStoreOptions {
  readonly gitDir: string;
  readonly processes: Processes;
  /** The PATH to look up programs. */
  readonly path: string | undefined;
  /** Folders with objects that the store borrows. */
  readonly borrowed: readonly string[];
  readonly objectFormat?: "sha1" | "sha256" | undefined;
  /** Ignore rules in addition to those of the tree. */
  readonly excludes?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

const TIMEOUT_MS = 600_000;

/** Folder of objects that were written inside a view. */
const FROM_INSIDE = "inside";

/** Bytes are kept unchanged: after the conversions of the project's attributes, they would differ from the disk. */
const ATTRIBUTES = "* -text -eol -ident -filter -working-tree-encoding\n";

/** The author of commits that exist only to give git a common ancestor. */
const NOBODY = {
  GIT_AUTHOR_NAME: "lathe",
  GIT_AUTHOR_EMAIL: "lathe@localhost",
  GIT_AUTHOR_DATE: "1700000000 +0000",
  GIT_COMMITTER_NAME: "lathe",
  GIT_COMMITTER_EMAIL: "lathe@localhost",
  GIT_COMMITTER_DATE: "1700000000 +0000",
};

/** Creates the store if it does not exist. */
export function openGitStore(options: GitStoreOptions): GitStore {
  const { gitDir, processes, path, signal } = options;
  writeStore(options);
  const ask = async (args: readonly string[], run: GitRun = {}): Promise<GitAnswer> => {
    const chunks: Buffer[] = [];
    const { enter = [] } = run;
    const isInside = enter.length > 0;
    const result = await processes.run({
      argv: [
        ...enter,
        "git",
        ...(run.workTree === undefined ? [] : ["-C", run.workTree]),
        ...args,
      ] as unknown as ProgramArgv,
      cwd: "/",
      env: {
        PATH: path ?? "/usr/local/bin:/usr/bin:/bin",
        LC_ALL: "C",
        GIT_DIR: gitDir,
        ...(run.workTree === undefined ? {} : { GIT_WORK_TREE: run.workTree }),
        ...(run.index === undefined ? {} : { GIT_INDEX_FILE: run.index }),
        ...(isInside ? { GIT_OBJECT_DIRECTORY: join(gitDir, FROM_INSIDE) } : {}),
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_ATTR_NOSYSTEM: "1",
        GIT_OPTIONAL_LOCKS: "0",
        ...NO_TRANSPORT,
        ...(run.hasPatterns ? {} : { GIT_LITERAL_PATHSPECS: "1" }),
        GIT_TERMINAL_PROMPT: "0",
        ...NOBODY,
      },
      timeoutMs: TIMEOUT_MS,
      internal: true,
      onStdout: (chunk) => chunks.push(chunk),
      ...(run.stdin === undefined ? {} : { stdin: run.stdin }),
      ...(signal === undefined ? {} : { signal }),
    });
    signal?.throwIfAborted();
    return { exitCode: result.exitCode, stdout: Buffer.concat(chunks), stderr: result.stderr };
  };
  return {
    gitDir,
    ask,
    run: async (args, run) => {
      const answer = await ask(args, run);
      if (answer.exitCode !== 0) throw new GitFailed(args, answer);
      return answer.stdout;
    },
  };
}

function writeStore({ gitDir, borrowed, objectFormat = "sha1", excludes = "" }: GitStoreOptions): void {
  for (const folder of ["objects/info", "refs", "info", FROM_INSIDE])
    mkdirSync(join(gitDir, folder), { recursive: true });
  const format = objectFormat === "sha1" ? "" : `[extensions]\n\tobjectFormat = ${objectFormat}\n`;
  const version = objectFormat === "sha1" ? 0 : 1;
  const core = `[core]\n\trepositoryformatversion = ${version}\n\tbare = false\n\tfsmonitor = false\n\thooksPath = /dev/null\n`;
  writeFileSync(
    join(gitDir, "config"),
    `${core}\tlooseCompression = 0\n${format}[checkout]\n\tworkers = 0\n[gc]\n\tauto = 0\n`,
  );
  writeFileSync(join(gitDir, "HEAD"), "ref: refs/heads/lathe\n");
  writeFileSync(join(gitDir, "info/attributes"), ATTRIBUTES);
  writeFileSync(join(gitDir, "info/exclude"), excludes);
  writeFileSync(
    join(gitDir, "objects/info/alternates"),
    [...borrowed, join(gitDir, FROM_INSIDE)].map((path) => `${quotePath(path)}\n`).join(""),
  );
}

/** Quotes a path like git, if it would be misread without quotes. */
function quotePath(path: string): string {
  return /^["#]|[\n"\\]/.test(path)
    ? `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`
    : path;
}

/** Splits output whose fields each end with a zero byte. */
export function zeroFields(bytes: Buffer): string[] {
  const fields = bytes.toString("utf8").split("\0");
  fields.pop();
  return fields;
}
