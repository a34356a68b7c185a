// Opens or continues the view that a whole run works in, and settles its changes: they are applied to the project's
// files, become a branch or a patch, or are discarded. Changes that were not settled are kept when the run ends.

import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { EnvError, type ExecutionEnvironment } from "@lathe/agent";
import { keepPatch, leftOutLine } from "@lathe/agent/agents";
import {
  continueView,
  type Delta,
  isSafeId,
  type LandingConflict,
  type LandingResult,
  landWithRetries,
  leftViews,
  openView,
  patchOf,
  type View,
} from "@lathe/agent/files";
import { deltaChanges, treeOf } from "@lathe/agent/verify";
import { personalIgnoreFile } from "@lathe/agent/world";
import { messageOf } from "@lathe/llm";
import { recoverViews } from "../../changes/isolation/recover-views.ts";
import { storeOf } from "../../changes/isolation/view-store.ts";
import type { LandingPermit, RunView, Settled, SettleWay, ViewChanges } from "../../config/workspace/run-view.ts";
import { hostOptions, sandboxOptions } from "../../config/workspace/this-machine.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { countOf } from "../../sessions/numbers.ts";

/** Ids of views without a name. */
const UNNAMED = /^run-[0-9a-f]{8}$/;

export class OpenRunView implements RunView {
  readonly id: string;
  readonly #workspace: Workspace;
  readonly #view: View;
  /** The trees of changes that are in a branch or a patch. */
  #settled = "";
  /** Operations run one at a time, because each depends on the result of the one before. */
  #last: Promise<unknown> = Promise.resolve();
  #leaving: Promise<string | undefined> | undefined;
  onSettled: (settled: Settled) => void = () => {};

  private constructor(workspace: Workspace, view: View) {
    this.id = view.id;
    this.#workspace = workspace;
    this.#view = view;
  }

  /**
   * `name` is the view's name; if an earlier run left that view, it is continued. True: a new view without a name.
   * `tell` gets lines for the user.
   */
  static async open(workspace: Workspace, name: string | true, tell: (line: string) => void): Promise<OpenRunView> {
    const { machine, cwd } = workspace;
    if (name !== true && !isSafeId(name))
      throw usageError(`--worktree takes the name of a branch: letters, digits, "-" and "_". Not "${name}".`);
    const id = name === true ? `run-${machine.deps.uuid().slice(0, 8)}` : name;
    const store = storeOf(workspace);
    for (const line of await recoverViews(workspace, (other) => other !== id)) tell(line);
    const left = leftViews(store).map((one) => one.id);
    if (name !== true && UNNAMED.test(name) && !left.includes(name))
      throw usageError(`There is no isolated copy ${name} to continue. ${keptNames(left)}`);
    const request = {
      root: cwd,
      id,
      store,
      host: hostOptions(workspace, (message) => tell(message)),
      sandbox: sandboxOptions(workspace),
      personalIgnores: personalIgnoreFile(workspace.env),
      signal: new AbortController().signal,
    };
    try {
      if (left.includes(id)) {
        const view = await continueView(request);
        tell(`Continuing in the isolated copy ${id} of ${cwd}, with its changes.`);
        return new OpenRunView(workspace, view);
      }
      const view = await openView({ ...request, kind: "auto", isKept: true });
      const passedOver = view.passedOver.length === 0 ? "" : `; not possible: ${view.passedOver.join("; ")}`;
      tell(`Working in an isolated copy of ${cwd} (${view.kind}${passedOver}).`);
      return new OpenRunView(workspace, view);
    } catch (error) {
      throw error instanceof EnvError ? usageError(`--worktree: ${error.message}`) : error;
    }
  }

  get toContinue(): string {
    return `lathe --worktree ${this.id}`;
  }

  get kind(): string {
    return this.#view.kind;
  }

  get env(): ExecutionEnvironment {
    return this.#view.env;
  }

  get isNamed(): boolean {
    return !UNNAMED.test(this.id);
  }

  changes(): Promise<ViewChanges> {
    return this.#inTurn(async () => this.#changesOf(await this.#view.delta()));
  }

  work(): ReturnType<RunView["work"]> {
    return this.#inTurn(async () => {
      const delta = await this.#view.delta();
      return {
        tree: treeOf(delta),
        changes: await deltaChanges(
          delta,
          hostOptions(this.#workspace, () => {}),
        ),
      };
    });
  }

  diff(): Promise<string> {
    return this.#inTurn(async () => (await this.#patch(await this.#view.delta())).toString("utf8"));
  }

  async settle(how: SettleWay, permit: LandingPermit): Promise<Settled> {
    const settled = await this.#inTurn(() => this.#carryOut(how, permit)).catch((error): Settled => {
      // For instance because files change whenever git reads them.
      return { how, files: [], conflicts: [], outcome: "failed", message: `Nothing was applied: ${messageOf(error)}` };
    });
    this.onSettled(settled);
    return settled;
  }

  async leave(): Promise<string | undefined> {
    if (this.#leaving) {
      await this.#leaving;
      return undefined;
    }
    this.#leaving = this.#findUnsettled().then(async (what) => {
      await (what === undefined ? this.#view.close() : this.#view.leave());
      return what && `The changes of the run are kept in the isolated copy ${this.id}: ${what}.`;
    });
    return this.#leaving;
  }

  /** Removes the view with everything in it. */
  async close(): Promise<void> {
    await this.#view.close();
  }

  // ---- inside ----

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => {});
    return mine;
  }

  async #findUnsettled(): Promise<string | undefined> {
    try {
      const { files, isMissed, isSettled } = await this.changes();
      if (files.length > 0 && !isSettled) return countOf(files.length, "file");
      return isMissed ? "files that cannot be applied" : undefined;
    } catch (error) {
      return `they could not be read (${messageOf(error)})`;
    }
  }

  async #carryOut(how: SettleWay, permit: LandingPermit): Promise<Settled> {
    const delta = await this.#view.delta();
    const names = this.#changesOf(delta).files.map(({ path }) => path);
    const facts = { how, files: names, conflicts: [] };
    if (names.length === 0) return { ...facts, outcome: "nothing", message: "Nothing was changed." };
    if (how === "discard") {
      await this.#view.reset();
      return { ...facts, outcome: "discarded", message: `Discarded the changes of ${countOf(names.length, "file")}.` };
    }
    if (how === "patch") {
      const patch = await this.#keepPatch(delta);
      this.#settled = fingerprintOf(delta);
      return { ...facts, outcome: "patch", patch, message: `Kept as a patch: ${this.#applyCommand(patch)}` };
    }
    // A branch changes no file of the project until the user merges it.
    return this.#land(delta, how, facts, how === "land" ? permit : undefined);
  }

  async #land(
    delta: Delta,
    how: "land" | "branch",
    facts: Omit<Settled, "outcome" | "message">,
    permit: LandingPermit | undefined,
  ): Promise<Settled> {
    const result = await this.#landAs(delta, how === "land" ? "patch" : "branch", permit);
    if (result.kind === "nothing" || (result.kind === "landed" && how === "land")) {
      await this.#view.rebase();
      const files = result.kind === "landed" ? result.files.map((path) => this.#shortPath(path)) : [];
      if (result.kind === "landed")
        return {
          ...facts,
          files,
          outcome: "landed",
          message: `Applied the changes to ${countOf(files.length, "file")}.`,
        };
      const message = "There is nothing to apply: the project already has these changes.";
      return { ...facts, files, outcome: "nothing", message };
    }
    if (result.kind === "landed") {
      this.#settled = fingerprintOf(delta);
      const [branch = ""] = result.branches;
      const message = `Written to the branch ${branch}. To merge it: git merge ${branch}`;
      return { ...facts, outcome: "branch", branch, message };
    }
    const conflicts = result.kind === "conflict" ? result.conflicts.map((one) => this.#conflictOf(one, how)) : [];
    const why = result.kind === "refused" ? ` ${result.why}` : "";
    return { ...facts, outcome: "conflict", conflicts, message: `Nothing was applied.${why}` };
  }

  async #landAs(delta: Delta, mode: "patch" | "branch", permit: LandingPermit | undefined): Promise<LandingResult> {
    const workspace = this.#workspace;
    const result = await landWithRetries({
      root: workspace.cwd,
      id: this.id,
      store: storeOf(workspace),
      host: hostOptions(workspace, () => {}),
      deltas: [mode === "branch" ? { ...delta, id: this.#freeBranch() } : delta],
      mode,
      permit,
      signal: new AbortController().signal,
    });
    if (result.kind === "landed" && mode === "branch") this.#branches++;
    return result;
  }

  #branches = 0;

  /** Later branches of a run get their own names. */
  #freeBranch(): string {
    return this.#branches === 0 ? this.id : `${this.id}-${this.#branches + 1}`;
  }

  async #keepPatch(delta: Delta): Promise<string> {
    const { patches } = this.#workspace.paths;
    let name = this.id;
    for (let n = 2; existsSync(join(patches, `${name}.patch`)); n++) name = `${this.id}-${n}`;
    return keepPatch(patches, name, await this.#patch(delta));
  }

  #patch(delta: Delta): Promise<Buffer> {
    return patchOf(delta, this.#workspace.cwd, { baseEnv: this.#workspace.env });
  }

  #applyCommand(patch: string): string {
    return `git -C ${this.#workspace.cwd} apply --3way ${patch}`;
  }

  #changesOf(delta: Delta): ViewChanges {
    const files = delta.parts.flatMap(({ top, changes }) =>
      changes.map(({ path, kind }) => ({ path: this.#shortPath(join(top, path)), change: kind })),
    );
    const leftOut = delta.leftOut.map(({ path }) => this.#shortPath(path));
    const line = leftOutLine(this.#workspace.cwd, delta);
    const isMissed = delta.leftOut.some(({ why }) => why !== "ignored" && why !== "empty" && why !== "special");
    const isSettled = files.length > 0 && this.#settled === fingerprintOf(delta);
    return { files, leftOut, ...(line === undefined ? {} : { leftOutLine: `${line}.` }), isMissed, isSettled };
  }

  #conflictOf({ path, kind, message, regions }: LandingConflict, how: "land" | "branch"): Settled["conflicts"][number] {
    const [first] = regions;
    const said = kind === "content" ? BOTH_SIDES[how] : message;
    return { path: this.#shortPath(path), ...(first ? { line: first.line } : {}), message: said };
  }

  #shortPath(path: string): string {
    return relative(this.#workspace.cwd, path) || path;
  }
}

const BOTH_SIDES = {
  land: "changed in the project too",
  branch: "the last commit differs here: the change depends on uncommitted work",
} as const;

/** Stays the same as long as nothing changes. */
const fingerprintOf = ({ parts }: Delta): string => parts.map(({ base, tree }) => `${base} ${tree}`).join("\n");

const keptNames = (ids: readonly string[]): string =>
  ids.length === 0 ? "This project has none." : `Kept here: ${ids.join(", ")}.`;
