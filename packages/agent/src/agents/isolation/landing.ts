// Lands the work of one agent: merges it, sends it back once if it does not fit, and keeps a patch of what did not
// land.

import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { messageOf } from "@lathe/llm";
import { hasConflicts } from "../../files/edit/conflict-regions.ts";
import type { Conflict } from "../../files/formats/conflict/conflicts.ts";
import type { LandRequest } from "../../files/isolate/land.ts";
import { landWithRetries } from "../../files/isolate/land-with-retries.ts";
import { patchOf } from "../../files/isolate/patch.ts";
import type { Delta, LandedFile, LandingConflict, LandingResult, View } from "../../files/isolate/types.ts";
import { landingCheck } from "../../verify/landing-check.ts";
import type { VerifyReport } from "../../verify/types.ts";
import type { IsolationRequest, LandedWork, LandingWish } from "../subagents/types.ts";
import { recordBranches, recordLanding } from "./landing-record.ts";
import {
  againText,
  failureText,
  keptText,
  landedText,
  leftOutText,
  NOTHING_CHANGED,
  unreadResult,
} from "./landing-text.ts";
import type { IsolatedAgentsOptions } from "./options.ts";
import { keepPatch } from "./patches.ts";

const VERIFY_MS = 600_000;
const LONGEST_TITLE = 72;

/** The default commit message for a branch. */
export const plainCommitMessage = (agentId: string, task: string): string =>
  `${commitTitle(task)}\n\n${commitAuthor(agentId)}`;

/** The last line of that message. */
export const commitAuthor = (agentId: string): string => `By the agent ${agentId}.`;

/** The first line of a text, short enough for the subject of a commit. */
export function commitTitle(text: string): string {
  const [first = ""] = text.trim().split("\n");
  return first.length > LONGEST_TITLE ? `${first.slice(0, LONGEST_TITLE - 1)}…` : first;
}

/** The attempt that was sent back to the agent. */
interface SentBack {
  readonly patch: Buffer;
  readonly conflicts: readonly LandingConflict[];
  /** Files that now contain conflict markers. */
  readonly marked: readonly string[];
}

/** Lands the work of one agent. */
export class Landing {
  readonly #options: IsolatedAgentsOptions;
  readonly #request: IsolationRequest;
  readonly #view: View;
  #sentBack: SentBack | undefined;
  #isUnread = false;
  /** The report of the check in the last attempt. */
  #report: VerifyReport | undefined;

  constructor(options: IsolatedAgentsOptions, request: IsolationRequest, view: View) {
    this.#options = options;
    this.#request = request;
    this.#view = view;
  }

  /** True if the changes exist only in the view. */
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
      return { text: unreadResult(messageOf(error), this.#view.id, this.#options.howToDrop), outcome: "kept" };
    }
  }

  async #attempt(wish: LandingWish): Promise<LandedWork> {
    const lost = wish.refusal();
    if (lost !== undefined) return { text: `[None of its changes were merged: ${lost}.]`, outcome: "nothing" };
    const { root, journal } = this.#options;
    // Users know the delta by the agent's name.
    const delta: Delta = { ...(await this.#view.delta()), id: this.#request.agentId };
    const more = leftOutText(root, delta);
    if (!delta.parts.some(({ changes }) => changes.length > 0))
      return { text: `${NOTHING_CHANGED}${more}`, outcome: "nothing" };
    if (!wish.isDone) return this.#keepAsPatch(delta, "It did not finish.");
    const undecided = await this.#findUndecidedConflicts();
    if (undecided) return this.#keepAsPatch(delta, failureText(root, undecided), undecided.conflicts);
    let result: LandingResult;
    try {
      result = await this.#merge(delta, wish);
    } catch (error) {
      return this.#keepAsPatch(delta, wish.signal.aborted ? "It was stopped." : messageOf(error));
    }
    if (result.kind === "landed" || result.kind === "nothing") {
      const branches = result.kind === "landed" ? result.branches : [];
      const [branchName] = branches;
      if (branches.length > 0) recordBranches(journal, this.#request.agentId, branches);
      const work = branchName === undefined ? {} : { work: { branchName } };
      return { text: `${landedText(root, result)}${this.#verdictText()}${more}`, outcome: "landed", ...work };
    }
    if (wish.isLast || wish.signal.aborted || !isForAuthor(result))
      return this.#keepAsPatch(delta, failureText(root, result), result.kind === "conflict" ? result.conflicts : []);
    return { text: "", outcome: "kept", again: againText(root, result, await this.#sendBack(delta, result)) };
  }

  /** The verdict that the agent gets when its work lands. */
  #verdictText(): string {
    if (this.#report?.verdict !== "verified") return "";
    const notes = this.#report.reasons.map((reason) => ` ${reason}`).join("");
    return `\n[Verified: ${[...new Set(this.#report.runs.map(({ command }) => command))].join("; ")}${notes}]`;
  }

  /** Returns the conflicts that are left for the agent to resolve. */
  async #sendBack(delta: Delta, result: LandingResult): Promise<readonly LandingConflict[]> {
    const { root, host } = this.#options;
    const patch = await patchOf(delta, root, host);
    const open = await this.#view.rebase();
    const marked = open.filter(({ kind }) => kind === "content").map(({ path }) => path);
    this.#sentBack = { patch, conflicts: result.kind === "conflict" ? result.conflicts : [], marked };
    return open;
  }

  /** The conflicts that were sent to the agent, if one of them is still in its files. */
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
    const { root, store, host, mode = "patch", commitMessage } = this.#options;
    const { agentId, task, verify } = this.#request;
    const message =
      (mode === "branch" ? await commitMessage?.({ agentId, task, delta }, signal) : undefined) ??
      plainCommitMessage(agentId, task);
    return landWithRetries({
      root,
      id: this.#view.id,
      store,
      host,
      deltas: [delta],
      isAllOfView: true,
      mode,
      message,
      verify: verify === undefined ? undefined : this.#check(verify, signal),
      permit,
      aroundWrite: (files, write) => this.#write(files, write),
      signal,
    });
  }

  /** The check runs what the agent wrote, so it runs where the agent ran and with no more rights. */
  #check(command: string, signal: AbortSignal): LandRequest["verify"] {
    const { root, store, host, sandbox, container, personalIgnores } = this.#options;
    return landingCheck({
      place: {
        ...{ root, store, host, sandbox, container, personalIgnores },
        id: `check-${this.#view.id}`,
        kinds: [this.#view.kind],
      },
      checks: [{ command, timeoutMs: VERIFY_MS, source: "verify" }],
      onReport: (report) => {
        this.#report = report;
      },
      signal,
    });
  }

  async #write(files: readonly LandedFile[], write: () => Promise<void>): Promise<void> {
    const { journal, history } = this.#options;
    recordLanding(journal, this.#request.agentId, files);
    const paths = files.map(({ path }) => path);
    await (history ? history.aroundLanding(paths, write) : write());
  }

  /** A patch with conflict markers in it would be useless, so the patch from before they were inserted is kept. */
  async #keepAsPatch(delta: Delta, why: string, conflicts: readonly LandingConflict[] = []): Promise<LandedWork> {
    const { root, host, patches } = this.#options;
    const isMarked = (await this.#findUndecidedConflicts()) !== undefined;
    const bytes = isMarked && this.#sentBack ? this.#sentBack.patch : await patchOf(delta, root, host);
    const patchPath = keepPatch(patches, delta.id, bytes);
    const nestedPatches = isMarked ? [] : await this.#nestedPatches(delta);
    const work = { patchPath, ...(nestedPatches.length === 0 ? {} : { nestedPatches }) };
    const text = `${keptText(why, patchPath, this.#numberConflicts(conflicts))}${leftOutText(root, delta)}`;
    return { text, outcome: "kept", work };
  }

  /** Makes a patch for each repository inside the project, with paths relative to it. */
  async #nestedPatches(delta: Delta): Promise<{ path: string; patchPath: string }[]> {
    const { root, host, patches } = this.#options;
    const inside = delta.parts.flatMap((part) => {
      const path = relative(root, part.top);
      return path === "" || path.startsWith("..") || part.changes.length === 0 ? [] : [{ part, path }];
    });
    const kept: { path: string; patchPath: string }[] = [];
    for (const [index, { part, path }] of inside.entries()) {
      const bytes = await patchOf({ ...delta, parts: [part] }, part.top, host);
      kept.push({ path, patchPath: keepPatch(patches, `${delta.id}.nested-${index + 1}`, bytes) });
    }
    return kept;
  }

  /** Numbers the conflicts, so that the parent can resolve them by number. */
  #numberConflicts(found: readonly LandingConflict[]): Conflict[] {
    const { agentId, conflicts } = this.#request;
    const { root } = this.#options;
    return found.flatMap(({ path, kind, regions }) => {
      if (kind !== "content" || !conflicts || regions.length === 0) return [];
      const file = { path: relative(root, path), absolute: path, text: lineFeeds(readFileSync(path, "utf8")) };
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
