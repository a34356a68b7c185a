// Lists files that a session has made and reads bytes of them: only below the allowed folders, never through a link
// that leads out, and never more than the cap.

import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { type PathInView, pathInView } from "@lathe/agent/files";
import { isInside } from "@lathe/agent/policy";
import { storeOf } from "../../changes/isolation/view-store.ts";
import { homePaths } from "../../platform/home/paths.ts";
import { isSessionName } from "../tmux/profile.ts";
import { allowedPath, isAllowed } from "./configuration.ts";
import { CoordinatorRefusal } from "./contract.ts";
import type { Coordinator } from "./coordinator.ts";
import { safeTurnId } from "./ids.ts";
import { answerOf, type Reader, readable, responseName, utf8Start } from "./reading.ts";
import type { SessionFacts } from "./state.ts";
import { sessionOf, turnOf } from "./turn-moves.ts";

const OUTPUT = "artifact://";
const RESPONSE = responseName("");
const MOST_ROWS = 500;

export function artifactsOf({ coordinator }: Reader, session: SessionFacts): object {
  const changed = changedFiles(coordinator, session);
  const outputs = outputNames(coordinator, session).map((name) => OUTPUT + name);
  const all = [
    ...[...changed].map((path) => ({ path, kind: "file" })),
    ...outputs.map((path) => ({ path, kind: "output" })),
  ];
  return { artifacts: all.slice(0, MOST_ROWS), truncated: all.length > MOST_ROWS };
}

/** Files that the session's tools have changed, according to its journal. */
function changedFiles(coordinator: Coordinator, session: SessionFacts): ReadonlySet<string> {
  const changed = new Set<string>();
  const journal = readable(coordinator, session);
  for (const id of journal?.entryIds() ?? []) {
    const entry = journal?.entry(id);
    const changes = entry?.type === "message" || entry?.type === "nested_call" ? entry.changes : undefined;
    for (const change of changes ?? []) changed.add(change.path);
  }
  return changed;
}

function outputNames({ records }: Coordinator, { latheSession }: SessionFacts): string[] {
  const folder = latheSession === undefined ? undefined : records.pathOf(latheSession)?.replace(/\.jsonl$/, "");
  if (folder === undefined) return [];
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((one) =>
      one.isFile() && !one.name.endsWith(".jsonl") && !one.name.startsWith(".") ? [one.name] : [],
    );
  } catch {
    return []; // it has no outputs
  }
}

export interface ArtifactRequest {
  readonly session: SessionFacts | undefined;
  readonly path: string;
  readonly offset: number;
}

export function readArtifact(reader: Reader, { session, path, offset }: ArtifactRequest): object {
  const { coordinator } = reader;
  const cap = coordinator.configuration.artifactCap;
  if (path.startsWith(RESPONSE)) return { path, ...piece(responseBytes(coordinator, path), offset, cap) };
  const seen = session && !path.startsWith(OUTPUT) ? pathInCopy(coordinator, session, path) : undefined;
  if (seen?.kind === "absent")
    throw new CoordinatorRefusal("not_found", "There is no such file in the session's isolated copy.");
  if (seen?.kind === "own") return { path, isolated_copy: true, ...bytesOf(seen.place, offset, cap) };
  return { path, ...bytesOf(placeOf(coordinator, session, seen?.path ?? path), offset, cap) };
}

/**
 * Finds a file that the session has changed in its isolated copy, and so not in the project. Undefined if the session
 * works in the project.
 */
function pathInCopy(coordinator: Coordinator, session: SessionFacts, path: string): PathInView | undefined {
  const { configuration, journal, machine } = coordinator;
  const { cwd } = session;
  const name = copyName(coordinator, session);
  const given = resolve(cwd, path);
  if (name === undefined || path.includes("\0") || !isAllowed(configuration, given)) return undefined;
  // Neither the coordinator's own state nor its counterpart in a copy is an artifact.
  if (isInside(given, journal.folder)) return undefined;
  return pathInView(storeOf({ paths: homePaths(machine.env, machine.userHome), cwd }), name, given);
}

/** The isolated copy that the command's `--worktree` names. It may be gone: applied changes are in the project. */
function copyName({ configuration }: Coordinator, { sessionId }: SessionFacts): string | undefined {
  const { sessionCommand = [] } = configuration;
  const at = sessionCommand.indexOf("--worktree");
  const named = sessionCommand[at + 1];
  const name = named === undefined || named.startsWith("-") ? sessionId : named;
  return at >= 0 && isSessionName(name) ? name : undefined;
}

function placeOf(coordinator: Coordinator, session: SessionFacts | undefined, path: string): string {
  if (path.includes("\0")) throw new CoordinatorRefusal("unsafe_path", "This is not a path.");
  if (path.startsWith(OUTPUT)) {
    if (!session) throw new CoordinatorRefusal("unknown_session", "Give the session_id whose output this is.");
    readable(coordinator, session);
    const name = path.slice(OUTPUT.length);
    const journal = session.latheSession === undefined ? undefined : coordinator.records.pathOf(session.latheSession);
    if (journal === undefined || !outputNames(coordinator, session).includes(name))
      throw new CoordinatorRefusal("not_found", "The session has no such output. See list_artifacts.");
    return join(journal.replace(/\.jsonl$/, ""), name);
  }
  if (!isAbsolute(path) && !session)
    throw new CoordinatorRefusal("unsafe_path", "Without a session_id the path has to be absolute.");
  const given = resolve(session?.cwd ?? "/", path);
  const real = allowedPath(coordinator.configuration, given);
  const { folder } = coordinator.journal;
  if (real === folder || real.startsWith(`${folder}/`))
    throw new CoordinatorRefusal("outside_roots", "The coordinator's own state is not an artifact.");
  return real;
}

function responseBytes(coordinator: Coordinator, path: string): Buffer {
  const { state } = coordinator.journal;
  const turn = turnOf(state, safeTurnId(path.slice(RESPONSE.length)), undefined);
  const answer = answerOf(coordinator, sessionOf(state, turn.sessionId), turn);
  return Buffer.from(answer?.text ?? "");
}

function piece(bytes: Buffer, offset: number, cap: number): object {
  const start = Math.min(offset, bytes.length);
  const rest = bytes.subarray(start);
  const text = utf8Start(rest, cap);
  return pieceReply(text, { bytes: bytes.length, next: start + Buffer.byteLength(text) });
}

const pieceReply = (text: string, { bytes, next }: { readonly bytes: number; readonly next: number }): object => ({
  text,
  bytes,
  truncated: next < bytes,
  next_offset: next < bytes ? next : null,
});

/** `path` has no links; if it has become a link since, it is not followed. */
function bytesOf(path: string, offset: number, cap: number): object {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let fd: number;
  try {
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    throw new CoordinatorRefusal("not_found", "The file cannot be read.");
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new CoordinatorRefusal("not_a_file", "This is not a file.");
    // A folder on the way may have become a link while the file was opened.
    if (realpathSync(join(realpathSync(dirname(path)), basename(path))) !== path)
      throw new CoordinatorRefusal("outside_roots", "The path now leads somewhere else.");
    const bytes = Buffer.alloc(Math.min(cap + 4, Math.max(0, stat.size - offset)));
    const got = readSync(fd, bytes, 0, bytes.length, offset);
    const text = utf8Start(bytes.subarray(0, got), cap);
    const next = Math.min(stat.size, offset + (got <= cap ? got : Buffer.byteLength(text)));
    return pieceReply(text, { bytes: stat.size, next });
  } finally {
    closeSync(fd);
  }
}
