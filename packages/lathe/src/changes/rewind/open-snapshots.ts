// The snapshots of this workspace: which folders they cover, where they are kept, and how large they may get.

import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { type ExecutionEnvironment, FileBlobs, type Journal, type Session } from "@lathe/agent";
import { Rewinder, repositoryOf, type SnapshotOptions, Snapshots } from "@lathe/agent/files";
import { INERT_GIT_COMMAND, personalIgnoreFile } from "@lathe/agent/world";
import type { Workspace } from "../../config/workspace/workspace.ts";

/** The inputs for recording the history of a session's files. */
export interface FileHistoryParts {
  readonly workspace: Workspace;
  readonly journal: Journal;
  readonly env: ExecutionEnvironment;
  readonly warn: (message: string, code: string) => void;
}

export interface OpenedSnapshots {
  readonly snapshots: Snapshots;
  rewinder(session: Session): Rewinder;
}

const MB = 1 << 20;

export function openSnapshots(parts: FileHistoryParts): OpenedSnapshots {
  const options = snapshotOptions(parts, new FileBlobs(parts.workspace.paths.blobs, `${parts.workspace.machine.pid}`));
  const snapshots = new Snapshots(options);
  return { snapshots, rewinder: (session) => new Rewinder(session, snapshots, options.blobs) };
}

/** Which folders to cover, and what to keep. */
export function snapshotOptions(
  { workspace, journal, env, warn }: FileHistoryParts,
  blobs: SnapshotOptions["blobs"],
): SnapshotOptions {
  const { paths, settings, machine } = workspace;
  const roots = coveredFolders(workspace.roots);
  const place = createHash("sha256").update(roots.join("\n")).digest("hex").slice(0, 16);
  return {
    journal,
    blobs,
    roots,
    exclude: [
      existsSync(paths.home) ? realpathSync.native(paths.home) : paths.home,
      ...ownFiles(journal),
      ...(machine.outputFiles ?? []),
    ],
    limits: {
      maxFiles: settings["rewind.maxFiles"],
      maxFileBytes: settings["rewind.maxFileMB"] * MB,
      maxTotalBytes: settings["rewind.maxTotalMB"] * MB,
    },
    personalIgnores: personalIgnoreFile(workspace.env),
    trackedIgnored: async () => (await Promise.all(roots.map((root) => trackedIgnored(env, root)))).flat(),
    cacheFile: join(paths.cache, "snapshots", place),
    writer: `${machine.pid}`,
    warn,
  };
}

/** The session itself may be stored in the project, and must not be rewound with it. */
function ownFiles({ label, folder }: FileHistoryParts["journal"]): string[] {
  return [label, `${label}.lock`, ...(folder === undefined ? [] : [folder])];
}

/** The repository around each folder, or else the folder itself, without those inside another one. */
function coveredFolders(roots: readonly string[]): string[] {
  const folders = [...new Set(roots.map((root) => repositoryOf(root) ?? root))];
  return folders.filter((folder) => !folders.some((other) => other !== folder && folder.startsWith(`${other}/`)));
}

const GIT_PATIENCE_MS = 5_000;
const TRACKED_IGNORED = `${INERT_GIT_COMMAND} ls-files -z --cached --ignored --exclude-standard`;

type Commands = FileHistoryParts["env"];

/** Empty if git is missing or refuses: then ignored files are not covered, tracked or not. */
async function trackedIgnored(env: Commands, root: string): Promise<string[]> {
  if (!existsSync(join(root, ".git"))) return [];
  const options = { cwd: root, internal: true };
  const result = await env.execCommand(TRACKED_IGNORED, GIT_PATIENCE_MS, options).catch(() => undefined);
  if (result?.exitCode !== 0 || result.timedOut || result.truncated) return [];
  return result.stdout.split("\0").flatMap((path) => (path === "" ? [] : [join(root, path)]));
}
