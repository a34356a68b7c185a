// Goes back to an earlier entry: the conversation's leaf, the files, or both. The intent and the plan are journalled
// before the first file changes, so a rewind that is killed is finished when the session is next opened.

import type { BlobStore } from "../../base/blobs/store.ts";
import type { SessionState } from "../../contract/events/types.ts";
import type { RewindRecord } from "../../contract/journal.ts";
import { pathTo } from "../../record/journal/context.ts";
import type { Journal } from "../../record/journal/journal.ts";
import { differences } from "./compare.ts";
import { isDiskFull } from "./disk-full.ts";
import { allSince, stretchesToUndo, type Undoing } from "./lineage.ts";
import { type LeftFile, planRewind, type RewindPlan } from "./plan.ts";
import type { Snapshots } from "./recorder.ts";
import { NoRoom, type Restored, restore } from "./restore.ts";
import { cutRewind, readTimeline, rewindToTakeBack, unrecordedIn } from "./timeline.ts";

/** What a rewind needs from its session. */
export interface RewoundSession {
  readonly journal: Journal;
  readonly state: SessionState;
  readonly subagents: { list(): readonly { readonly status: string }[] };
  moveTo(entryId: string | null): void;
}

/** Options for rewinding and redoing. */
export interface RewindOptions {
  /** Also restore files that another writer has changed since. */
  readonly force?: boolean | undefined;
  /** Called before the first file changes, with the number of files to change. */
  readonly onPlan?: ((files: number) => void) | undefined;
}

/** Where to go back to, and what to restore. */
export interface RewindRequest extends RewindOptions {
  /** The entry to go back to, which becomes the end of the conversation. Null: before the first entry. */
  readonly to: string | null;
  readonly parts: "both" | "files" | "conversation";
}

/** The result of a rewind. */
export interface RewindResult {
  readonly to: string | null;
  readonly parts: "both" | "files" | "conversation";
  /** Paths that were restored, created or removed. */
  readonly restored: readonly string[];
  readonly left: readonly LeftFile[];
  /** Why it is unknown which files would have to be restored. */
  readonly unrecorded?: string;
}

/** A request that cannot be fulfilled; the message says why and what to do. */
export class RewindRefused extends Error {}

const NOTHING: RewindPlan = { steps: [], left: [] };
const NO_FILES: Undoing = { undone: [], since: [] };

/** Rewinds one session. */
export class Rewinder {
  readonly #session: RewoundSession;
  readonly #snapshots: Snapshots;
  readonly #blobs: BlobStore;

  constructor(session: RewoundSession, snapshots: Snapshots, blobs: BlobStore) {
    this.#session = session;
    this.#snapshots = snapshots;
    this.#blobs = blobs;
  }

  async rewind({ to, parts, ...options }: RewindRequest): Promise<RewindResult> {
    const { journal } = this.#session;
    await this.#mustBeIdle();
    if (to !== null && !journal.has(to)) throw new RewindRefused(`There is no entry ${to} in this session.`);
    const stretches = readTimeline(journal);
    const hasFiles = parts !== "conversation";
    const undoing = hasFiles ? stretchesToUndo(stretches, journal, to) : NO_FILES;
    const unrecorded = hasFiles ? unrecordedIn(stretches, journal, { from: journal.leaf, to }) : undefined;
    const done = await this.#carryOut({ to, parts, undoing, options });
    if (unrecorded !== undefined) return { ...(done ?? { to, parts, restored: [], left: [] }), unrecorded };
    if (!done) throw new RewindRefused("There is nothing to rewind: conversation and files are as they were then.");
    return done;
  }

  /** Number of files changed by the work on each of these messages of the current branch. */
  countChanges(messages: ReadonlySet<string>): ReadonlyMap<string, number> {
    const { journal } = this.#session;
    const messageOf = new Map<string | null, string>();
    let last: string | undefined;
    for (const id of pathTo(journal, journal.leaf)) {
      if (messages.has(id)) last = id;
      if (last !== undefined) messageOf.set(id, last);
    }
    const changed = new Map<string, Set<string>>();
    for (const { before, after, entryId, rewind } of readTimeline(journal)) {
      const message = messageOf.get(entryId);
      if (message === undefined || rewind || before === "" || after === undefined) continue;
      const paths = differences(before, after, this.#blobs).map(({ path }) => path);
      changed.set(message, new Set([...(changed.get(message) ?? []), ...paths]));
    }
    return new Map([...changed].map(([id, paths]) => [id, paths.size]));
  }

  /** Undoes the last rewind; with `force`, also files that the previous attempt left. */
  async takeBack(options: RewindOptions = {}): Promise<RewindResult> {
    const { journal } = this.#session;
    await this.#mustBeIdle();
    const stretches = readTimeline(journal);
    const last = rewindToTakeBack(stretches, { finish: options.force ?? false });
    if (!last) throw new RewindRefused("There is no rewind to undo.");
    const { rewind, at, position, conversationAt } = last;
    if (rewind.conversation && hasNewMessages(journal, conversationAt))
      throw new RewindRefused("The conversation has continued since the last rewind, so that rewind cannot be undone.");
    const parts = partsOf(rewind);
    const undoing = rewind.files ? allSince(stretches, at) : NO_FILES;
    const done = await this.#carryOut({ to: rewind.from, parts, undoing, options, takesBack: position });
    return done ?? { to: rewind.from, parts, restored: [], left: [] };
  }

  /** Finishes an interrupted rewind; undefined if there is none. */
  async finishCut(): Promise<RewindResult | undefined> {
    const cut = cutRewind(this.#session.journal);
    if (!cut) return undefined;
    const content = cut.rewind.plan === "" ? undefined : this.#blobs.get(cut.rewind.plan);
    const plan = content ? (JSON.parse(Buffer.from(content).toString("utf8")) as RewindPlan) : NOTHING;
    // Some files may already be restored, so we restore as many others as possible.
    return this.#finish(cut.rewind, plan, restore(plan.steps, this.#blobs, { orNothing: false }));
  }

  async #mustBeIdle(): Promise<void> {
    if (this.#session.state === "processing")
      throw new RewindRefused("The agent is working. Stop it first, then rewind.");
    if (this.#session.state === "closed")
      throw new RewindRefused("This session has ended. Open it again to rewind it.");
    if (this.#session.subagents.list().some(({ status }) => status === "running"))
      throw new RewindRefused("A subagent is still working. Stop it, or wait for it, then rewind.");
    await this.#snapshots.settle();
  }

  /** Undefined if there is nothing to do. */
  async #carryOut(request: {
    readonly to: string | null;
    readonly parts: RewindResult["parts"];
    readonly undoing: Undoing;
    readonly options: RewindOptions;
    readonly takesBack?: number;
  }): Promise<RewindResult | undefined> {
    const { to, parts, undoing, takesBack } = request;
    const { force = false, onPlan } = request.options;
    const { journal } = this.#session;
    const from = journal.leaf;
    const now =
      undoing.undone.length === 0 ? undefined : await orDiskFull(NOTHING_CHANGED, () => this.#snapshots.look());
    const plan = now ? planRewind({ ...undoing, now: now.blob, force }, this.#blobs) : NOTHING;
    const conversation = parts !== "files" && to !== from;
    const files = plan.steps.length > 0;
    if (!conversation && !files)
      return plan.left.length === 0 ? undefined : { to, parts, restored: [], left: plan.left };
    onPlan?.(plan.steps.length);
    const storePlan = (): string => this.#blobs.put(Buffer.from(JSON.stringify(plan), "utf8"));
    const record: RewindRecord = {
      to,
      from,
      files,
      conversation,
      plan: files ? await orDiskFull(NOTHING_CHANGED, storePlan) : "",
      ...(takesBack === undefined ? {} : { takesBack }),
    };
    const blob = files ? now!.blob : "";
    const found = now && now.found.length > 0 ? { found: now.found } : {};
    journal.write({ type: "snapshot", phase: "before", entryId: from, blob, rewind: record, ...found });
    try {
      return { ...(await this.#finish(record, plan, restore(plan.steps, this.#blobs, { orNothing: true }))), parts };
    } catch (error) {
      if (!(error instanceof NoRoom)) throw error;
      journal.write({ type: "snapshot", phase: "after", entryId: from, blob, isAbandoned: true });
      throw new RewindRefused(NO_ROOM);
    }
  }

  async #finish(record: RewindRecord, plan: RewindPlan, done: Restored): Promise<RewindResult> {
    const { journal } = this.#session;
    const { to, files, conversation } = record;
    const left = [...plan.left, ...done.left];
    if (conversation && (to === null || journal.has(to))) this.#session.moveTo(to);
    const after = files ? await orDiskFull(NOT_COMPLETE, () => this.#snapshots.look()) : undefined;
    const found = after && after.found.length > 0 ? { found: after.found } : {};
    const partial = left.length === 0 ? {} : { isPartial: true };
    journal.write({ type: "snapshot", phase: "after", entryId: to, blob: after?.blob ?? "", ...found, ...partial });
    await journal.sync();
    return { to, parts: partsOf(record), restored: done.paths, left };
  }
}

const NOTHING_CHANGED =
  "The disk is full, so the current files cannot be saved. Nothing was changed. Free some space, then try again.";
const NO_ROOM =
  "The disk is full, so nothing was rewound: all files are as they were. Free some space, then try again.";
const NOT_COMPLETE =
  "The disk is full, so the rewind is not complete. Free some space: the next command that opens this session finishes it.";

async function orDiskFull<T>(refusal: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isDiskFull(error) ? new RewindRefused(refusal) : error;
  }
}

function partsOf({ files, conversation }: RewindRecord): RewindResult["parts"] {
  return files === conversation ? "both" : files ? "files" : "conversation";
}

function hasNewMessages(journal: Journal, since: string | null): boolean {
  const path = pathTo(journal, journal.leaf);
  const later = since === null ? path : path.slice(path.indexOf(since) + 1);
  return later.some((id) => ["message", "custom_message"].includes(journal.meta(id)?.type ?? ""));
}
