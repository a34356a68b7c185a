// Agents that work apart: each gets a view of the project, and what it changed lands when it has ended, one agent after the other.

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { ExecutionEnvironment, Journal } from "@lathe/agent";
import type { Isolation, IsolationRequest, LandedWork, LandingWish } from "@lathe/agent/agents";
import {
  type Conflict,
  type Delta,
  hasConflicts,
  type LandingConflict,
  type LandingResult,
  openView,
  patchOf,
  type View,
  type ViewContainer,
  type ViewKind,
} from "@lathe/agent/files";
import { personalIgnoreFile } from "@lathe/agent/world";
import { messageOf } from "@lathe/llm";
import { hostOptions, sandboxOptions } from "../../config/workspace/this-machine.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { FileHistory } from "../rewind/file-history.ts";
import { type AsksModel, plainMessage, writtenMessage } from "./commit-message.ts";
import { landWithRetries } from "./land-with-retries.ts";
import { landingOf, recordBranches, recordLanding } from "./landing-record.ts";
import {
  againText,
  failureText,
  interruptedText,
  keptText,
  landedText,
  leftOutText,
  NOTHING_CHANGED,
  unreadResult,
} from "./landing-text.ts";
import { recoverViews } from "./recover-views.ts";
import { keepPatch, keptPatch, storeOf } from "./view-store.ts";

export interface IsolatedWorkParts {
  readonly workspace: Workspace;
  readonly journal: Journal;
  /** Of the session: patches are kept there. */
  readonly folder?: string | undefined;
  readonly history: FileHistory | undefined;
  /** What the session puts around its own environment. */
  readonly guard: (env: ExecutionEnvironment) => ExecutionEnvironment;
}

const VERIFY_MS = 600_000;

export class IsolatedWork {
  readonly #parts: IsolatedWorkParts;
  /** Landings come one after the other: each is merged with, and checked against, what the one before made. */
  #last: Promise<unknown> = Promise.resolve();
  /** Said before the session could be told. */
  readonly #unsaid: string[] = [];
  readonly #said = new Set<string>();
  #warn: ((message: string) => void) | undefined;
  #beside: AsksModel | undefined;

  constructor(parts: IsolatedWorkParts) {
    this.#parts = parts;
  }

  /** What killed processes left is undone and removed before a caller asks what became of it. */
  async recover(): Promise<void> {
    const { workspace } = this.#parts;
    if (existsSync(storeOf(workspace))) this.#unsaid.push(...(await recoverViews(workspace)));
  }

  opened(warn: (message: string) => void, beside: AsksModel): void {
    for (const line of this.#unsaid) warn(line);
    this.#warn = warn;
    this.#beside = beside;
  }

  /** The work of an agent that was cut off by the end of its process. */
  leftBy(agentId: string): string {
    const { workspace, journal, folder } = this.#parts;
    const view = viewId(agentId, journal.header.id);
    return interruptedText(workspace.cwd, landingOf(journal, agentId), {
      patch: folder === undefined ? undefined : keptPatch(folder, agentId),
      view: existsSync(join(storeOf(workspace), view)) ? view : undefined,
    });
  }

  async isolate(request: IsolationRequest): Promise<Isolation> {
    const { guard: guarded, history } = this.#parts;
    const view = await this.#open(request);
    this.#sayPassedOver(view);
    const landing = new Landing(this.#parts, request, view, (delta, signal) => this.#message(request, delta, signal));
    return {
      env: guarded(view.env),
      kind: view.kind,
      land: (wish) => this.#inTurn(() => landing.land(wish)),
      close: async (toldBy) => {
        history?.endLanding(toldBy);
        await (landing.isUnread ? view.leave() : view.close());
      },
    };
  }

  /** `signal` ends the opening only: what an agent did that was stopped is still to be read. */
  async #open({ agentId, type, signal }: IsolationRequest): Promise<View> {
    const { workspace, journal } = this.#parts;
    const { settings } = workspace;
    const kind = kindOf(type?.isolation, settings["task.isolation.mode"]);
    const opening = new AbortController();
    const stop = (): void => opening.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    try {
      return await openView({
        root: workspace.cwd,
        kind,
        id: viewId(agentId, journal.header.id),
        store: storeOf(workspace),
        host: hostOptions(workspace, (message) => this.#warn?.(message)),
        sandbox: sandboxOptions(workspace),
        container: containerOf(workspace),
        personalIgnores: personalIgnoreFile(workspace.env),
        isKept: true,
        agent: { id: agentId, patches: patchesOf(this.#parts) },
        signal: opening.signal,
      });
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** Of the commit, where there will be one. */
  async #message({ agentId, task }: IsolationRequest, delta: Delta, signal: AbortSignal): Promise<string> {
    const { settings, cwd, env } = this.#parts.workspace;
    const isCommitted = settings["task.isolation.merge"] === "branch";
    if (!isCommitted || settings["task.isolation.commits"] !== "ai" || !this.#beside)
      return plainMessage(agentId, task);
    const patch = await patchOf(delta, cwd, { baseEnv: env });
    const written = await writtenMessage({ agentId, task, patch: patch.toString("utf8") }, this.#beside, signal);
    if (written.problem !== undefined) this.#warn?.(`The commit of ${agentId} has a plain message: ${written.problem}`);
    return written.message;
  }

  #sayPassedOver({ kind, passedOver }: View): void {
    if (passedOver.length === 0) return;
    const line = `Isolated agents work in views of the kind ${kind}. Not possible here: ${passedOver.join("; ")}.`;
    if (!this.#said.has(line)) this.#warn?.(line);
    this.#said.add(line);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => {});
    return mine;
  }
}

const patchesOf = ({ folder, workspace }: IsolatedWorkParts): string => folder ?? workspace.paths.patches;

/** What the agent's file says counts before the setting, unless it leaves the choice to it. */
function kindOf(own: string | undefined, mode: string): ViewKind | "auto" {
  if (mode === "none") throw new Error("task.isolation.mode is none. Set it to auto, or start another agent.");
  const wanted = own === undefined || own === "none" || own === "auto" ? mode : own;
  return (wanted === "fuse-overlay" ? "overlay" : wanted) as ViewKind | "auto";
}

function containerOf({ settings }: Workspace): ViewContainer | undefined {
  const image = settings["task.isolation.image"];
  return image === "" ? undefined : { image };
}

/** Agents of two sessions may have the same name, and names may be long. */
function viewId(agentId: string, sessionId: string): string {
  const sign = createHash("sha256").update(`${sessionId} ${agentId}`).digest("hex").slice(0, 12);
  return `${agentId.replaceAll(".", "-").slice(0, 60)}-${sign}`;
}

/** What did not land at first, as it was then. */
interface SentBack {
  readonly patch: Buffer;
  readonly conflicts: readonly LandingConflict[];
  /** Files that have conflict markers now. */
  readonly marked: readonly string[];
}

/** Lands what one agent did. */
class Landing {
  readonly #parts: IsolatedWorkParts;
  readonly #request: IsolationRequest;
  readonly #view: View;
  readonly #messageOf: (delta: Delta, signal: AbortSignal) => Promise<string>;
  #sentBack: SentBack | undefined;
  #isUnread = false;

  constructor(
    parts: IsolatedWorkParts,
    request: IsolationRequest,
    view: View,
    messageOf: (delta: Delta, signal: AbortSignal) => Promise<string>,
  ) {
    this.#messageOf = messageOf;
    this.#parts = parts;
    this.#request = request;
    this.#view = view;
  }

  /** What was changed is nowhere but in the view. */
  get isUnread(): boolean {
    return this.#isUnread;
  }

  async land(wish: LandingWish): Promise<LandedWork> {
    try {
      const work = await this.#attempt(wish);
      if (work.again === undefined) this.#view.unkeep();
      return work;
    } catch (error) {
      this.#isUnread = true;
      return { text: unreadResult(messageOf(error), this.#view.id), outcome: "kept" };
    }
  }

  async #attempt(wish: LandingWish): Promise<LandedWork> {
    const lost = wish.refusal();
    if (lost !== undefined) return { text: `[Nothing of it was merged: ${lost}.]`, outcome: "nothing" };
    const { cwd } = this.#parts.workspace;
    // Under the name that people know it by.
    const delta: Delta = { ...(await this.#view.delta()), id: this.#request.agentId };
    const more = leftOutText(cwd, delta);
    if (!delta.parts.some(({ changes }) => changes.length > 0))
      return { text: `${NOTHING_CHANGED}${more}`, outcome: "nothing" };
    if (!wish.isDone) return this.#keepAsPatch(delta, "It did not finish.");
    const undecided = await this.#findUndecidedConflicts();
    if (undecided) return this.#keepAsPatch(delta, failureText(cwd, undecided), undecided.conflicts);
    let result: LandingResult;
    try {
      result = await this.#merge(delta, wish);
    } catch (error) {
      return this.#keepAsPatch(delta, wish.signal.aborted ? "It was stopped." : messageOf(error));
    }
    if (result.kind === "landed" || result.kind === "nothing") {
      const branches = result.kind === "landed" ? result.branches : [];
      const [branchName] = branches;
      if (branches.length > 0) recordBranches(this.#parts.journal, this.#request.agentId, branches);
      const work = branchName === undefined ? {} : { work: { branchName } };
      return { text: `${landedText(cwd, result)}${more}`, outcome: "landed", ...work };
    }
    if (wish.isLast || wish.signal.aborted || !isForAuthor(result))
      return this.#keepAsPatch(delta, failureText(cwd, result), result.kind === "conflict" ? result.conflicts : []);
    return { text: "", outcome: "kept", again: againText(cwd, result, await this.#sendBack(delta, result)) };
  }

  /** Returns what is left for the agent to decide. */
  async #sendBack(delta: Delta, result: LandingResult): Promise<readonly LandingConflict[]> {
    const { cwd, env } = this.#parts.workspace;
    const patch = await patchOf(delta, cwd, { baseEnv: env });
    const open = await this.#view.rebase();
    const marked = open.filter(({ kind }) => kind === "content").map(({ path }) => path);
    this.#sentBack = { patch, conflicts: result.kind === "conflict" ? result.conflicts : [], marked };
    return open;
  }

  /** The conflicts that the agent was sent, when one of them is still in its files. */
  async #findUndecidedConflicts(): Promise<{ kind: "conflict"; conflicts: readonly LandingConflict[] } | undefined> {
    if (!this.#sentBack) return undefined;
    for (const path of this.#sentBack.marked) {
      const text = (await this.#view.env.stat(path)) ? await this.#view.env.readFile(path) : "";
      if (hasConflicts(Buffer.from(text).toString("utf8")))
        return { kind: "conflict", conflicts: this.#sentBack.conflicts };
    }
    return undefined;
  }

  async #merge(delta: Delta, { permit, signal }: LandingWish): Promise<LandingResult> {
    const { workspace } = this.#parts;
    const { verify } = this.#request;
    const message = await this.#messageOf(delta, signal);
    return landWithRetries({
      root: workspace.cwd,
      id: this.#view.id,
      store: storeOf(workspace),
      host: hostOptions(workspace, () => {}),
      sandbox: sandboxOptions(workspace),
      deltas: [delta],
      isAllOfView: true,
      mode: workspace.settings["task.isolation.merge"],
      message,
      verify: verify === undefined ? undefined : { command: verify, timeoutMs: VERIFY_MS },
      // The check runs what the agent wrote: where the agent ran, and with no more rights.
      kind: this.#view.kind,
      container: containerOf(workspace),
      permit,
      aroundWrite: (files, write) => this.#write(files, write),
      signal,
    });
  }

  async #write(files: Parameters<typeof recordLanding>[2], write: () => Promise<void>): Promise<void> {
    const { journal, history } = this.#parts;
    recordLanding(journal, this.#request.agentId, files);
    const paths = files.map(({ path }) => path);
    await (history ? history.aroundLanding(paths, write) : write());
  }

  /** A patch with conflict markers in it would be useless, so the patch from before they were inserted is kept. */
  async #keepAsPatch(delta: Delta, why: string, conflicts: readonly LandingConflict[] = []): Promise<LandedWork> {
    const { workspace } = this.#parts;
    const isMarked = (await this.#findUndecidedConflicts()) !== undefined;
    const bytes =
      isMarked && this.#sentBack
        ? this.#sentBack.patch
        : await patchOf(delta, workspace.cwd, { baseEnv: workspace.env });
    const place = patchesOf(this.#parts);
    const patchPath = keepPatch(place, delta.id, bytes);
    const nestedPatches = isMarked ? [] : await this.#nestedPatches(delta, place);
    const work = { patchPath, ...(nestedPatches.length === 0 ? {} : { nestedPatches }) };
    const text = `${keptText(why, patchPath, this.#numberConflicts(conflicts))}${leftOutText(workspace.cwd, delta)}`;
    return { text, outcome: "kept", work };
  }

  /** The same again for each repository inside the project, with paths that are relative to it. */
  async #nestedPatches(delta: Delta, place: string): Promise<{ path: string; patchPath: string }[]> {
    const { cwd, env } = this.#parts.workspace;
    const inside = delta.parts.flatMap((part) => {
      const path = relative(cwd, part.top);
      return path === "" || path.startsWith("..") || part.changes.length === 0 ? [] : [{ part, path }];
    });
    const kept: { path: string; patchPath: string }[] = [];
    for (const [index, { part, path }] of inside.entries()) {
      const bytes = await patchOf({ ...delta, parts: [part] }, part.top, { baseEnv: env });
      kept.push({ path, patchPath: keepPatch(place, `${delta.id}.nested-${index + 1}`, bytes) });
    }
    return kept;
  }

  /** The parent can settle them by their numbers. */
  #numberConflicts(found: readonly LandingConflict[]): Conflict[] {
    const { agentId, conflicts } = this.#request;
    const { cwd } = this.#parts.workspace;
    return found.flatMap(({ path, kind, regions }) => {
      if (kind !== "content" || !conflicts || regions.length === 0) return [];
      const file = { path: relative(cwd, path), absolute: path, text: lineFeeds(readFileSync(path, "utf8")) };
      const changes = regions.map(({ line, ours, theirs }) => ({
        line,
        ours: lineFeeds(ours),
        theirs: lineFeeds(theirs),
      }));
      return [...conflicts.addUnlanded(file, agentId, changes)];
    });
  }
}

/** Where one side has deleted a file, the parent agent decides. */
const isForAuthor = (result: LandingResult): result is Extract<LandingResult, { kind: "red" | "conflict" }> =>
  result.kind === "red" ||
  (result.kind === "conflict" && result.conflicts.every(({ kind }) => kind === "content" || kind === "forbidden"));

const lineFeeds = (text: string): string => text.replaceAll("\r\n", "\n");
