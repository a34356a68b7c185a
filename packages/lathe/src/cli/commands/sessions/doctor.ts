// `lathe sessions doctor`.

import { rmSync } from "node:fs";
import { FileBlobs } from "@lathe/agent";
import { collectBlobs } from "@lathe/agent/base";
import type { Workspace } from "../../../config/workspace/workspace.ts";
import { EXIT } from "../../../platform/usage/exit.ts";
import { type CheckDeps, checkJournal, leftLocks } from "../../../sessions/check.ts";
import { allJournals, childrenOf } from "../../../sessions/files.ts";
import { findSession } from "../../../sessions/find.ts";
import { countOf, size } from "../../../sessions/numbers.ts";
import { openToRead } from "../../../sessions/open.ts";
import { outsideFiles } from "../../../sessions/outside-files.ts";
import { verbArgs } from "../verb-args.ts";
import type { Verb } from "./verb.ts";

/** A blob is written before the line that refers to it. */
const YOUNG_MS = 3_600_000;

export const doctorVerb: Verb = async (argv, workspace) => {
  const { values, positionals } = verbArgs(argv, { gc: { type: "boolean" } });
  const { machine, paths } = workspace;
  const deps: CheckDeps = {
    blobs: new FileBlobs(paths.blobs, `${machine.pid}`),
    host: machine.host,
    open: (path) => openToRead(machine, paths.blobs, path),
  };
  const journals =
    positionals.length > 0 ? positionals.flatMap((value) => withChildren(workspace, value)) : every(workspace);
  let problems = 0;
  for (const journal of journals) {
    for (const { path, message } of await checkJournal(journal, deps)) {
      problems++;
      machine.stdout.write(message.startsWith(path) ? `${message}\n` : `${path}: ${message}\n`);
    }
  }
  machine.stdout.write(
    `${countOf(journals.length, "session file")} checked, ${problems === 0 ? "no problems" : countOf(problems, "problem")}.\n`,
  );
  if (positionals.length === 0 || values.gc) reportBlobs(workspace, values.gc ?? false);
  if (values.gc) for (const lock of leftLocks(paths.locks, machine.host)) rmSync(lock, { force: true });
  return problems > 0 ? EXIT.failed : EXIT.done;
};

function reportBlobs(workspace: Workspace, remove: boolean): void {
  const { machine, paths } = workspace;
  const { removed, bytes, kept } = collectBlobs({
    folder: paths.blobs,
    journals: every(workspace),
    now: machine.deps.now,
    minAgeMs: YOUNG_MS,
    dryRun: !remove,
  });
  const unnamed = `${countOf(removed.length, "unreferenced blob")} (${size(bytes)})`;
  if (remove) machine.stdout.write(`Removed ${unnamed}; ${kept} kept.\n`);
  else if (removed.length > 0) machine.stdout.write(`Found ${unnamed}. To remove: lathe sessions doctor --gc\n`);
}

const every = ({ paths }: Workspace): string[] => [
  ...allJournals(paths.sessions),
  ...outsideFiles(paths.sessions).flatMap((path) => [path, ...childrenOf(path).map((child) => child.path)]),
];

function withChildren(workspace: Workspace, value: string): string[] {
  const { path } = findSession(workspace, value);
  return [path, ...childrenOf(path).map((child) => child.path)];
}
