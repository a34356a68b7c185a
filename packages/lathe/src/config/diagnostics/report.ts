// Collects what helps a maintainer understand a problem in one file: the session, its output, and facts about the
// machine. Secrets, and anything that looks like one, are removed from all of it.

import { readFileSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { arch, release, type as systemName, totalmem } from "node:os";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { isoTime } from "@lathe/agent/record";
import { namesIn } from "../../platform/home/folder-names.ts";
import { settingsScreen } from "../settings/screen.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { type TarMember, tarArchive } from "./tar.ts";

/** At most this many agents and this many artifacts, newest first. */
const MOST_BESIDE = 10;
/** At most this much of one file, taken from its end, which is the most useful part. */
const MOST_BYTES = 8 << 20;

/** The session that the report is about. */
interface Reported {
  readonly workspace: Workspace;
  readonly open: { readonly journal: { readonly path?: string | undefined; readonly folder?: string | undefined } };
}

/** Returns the path of the archive, which is written to the current directory. */
export async function writeReport({ workspace, open }: Reported): Promise<string> {
  const { machine, redactor } = workspace;
  const now = machine.deps.now();
  const members: TarMember[] = [
    { name: "system.txt", content: Buffer.from(redactor.redactForSharing(`${systemInfo(workspace).join("\n")}\n`)) },
    { name: "settings.txt", content: Buffer.from(redactor.redactForSharing(settingsText(workspace))) },
    ...(open.journal.path === undefined ? [] : filesOf(open.journal.path, open.journal.folder).map(member(workspace))),
  ];
  const file = join(machine.cwd, `lathe-report-${isoTime(now).replace(/[:.]/g, "-")}.tar.gz`);
  await writeFile(file, gzipSync(tarArchive(members, now)), { mode: 0o600 });
  return file;
}

/** The session, its newest agents and its newest artifacts. */
function filesOf(path: string, folder: string | undefined): string[] {
  const beside = folder === undefined ? [] : namesIn(folder).map((name) => join(folder, name));
  const newestFiles = (ending: string): string[] =>
    beside
      .filter((file) => file.endsWith(ending))
      .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
      .slice(0, MOST_BESIDE);
  return [path, ...newestFiles(".jsonl"), ...newestFiles(".log")].filter((file) =>
    statSync(file, { throwIfNoEntry: false })?.isFile(),
  );
}

const member =
  ({ redactor }: Workspace) =>
  (file: string, at: number): TarMember => {
    const bytes = readFileSync(file);
    const text = bytes.subarray(Math.max(0, bytes.length - MOST_BYTES)).toString("utf8");
    return { name: at === 0 ? "session.jsonl" : basename(file), content: Buffer.from(redactor.redactForSharing(text)) };
  };

const settingsText = (workspace: Workspace): string =>
  settingsScreen(workspace)
    .flatMap(({ settings }) => settings)
    .filter(({ isDefault }) => !isDefault)
    .map(({ key, value, origin }) => `${key}: ${value}  (${origin})\n`)
    .join("");

/** Only the names of variables: their values may be anything. */
export function systemInfo({ machine, env, cwd, paths }: Workspace): string[] {
  const { node, v8 } = process.versions;
  const names = Object.keys(env).sort();
  return [
    `lathe ${LATHE_VERSION}, node ${node}, v8 ${v8}`,
    `${systemName()} ${release()} ${arch()}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `terminal: ${machine.stdout.columns ?? "?"} columns, TERM=${env["TERM"] ?? ""}, TERM_PROGRAM=${env["TERM_PROGRAM"] ?? ""}, COLORTERM=${env["COLORTERM"] ?? ""}`,
    `directory: ${cwd}`,
    `home: ${paths.home}`,
    `variables: ${names.join(" ")}`,
  ];
}

/** The memory this process uses, in lines. */
export function memoryInfo(): string[] {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  return [`resident ${mib(rss)}, heap ${mib(heapUsed)} of ${mib(heapTotal)}, outside the heap ${mib(external)}`];
}
