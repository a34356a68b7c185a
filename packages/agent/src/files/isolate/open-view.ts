// Opens views: tries the kinds that the request allows, best first, and reports which ones it skipped.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../../world/env/is-inside.ts";
import { LocalEnvironment } from "../../world/env/local.ts";
import { SandboxedLocalEnvironment } from "../../world/env/sandbox/sandboxed-local.ts";
import { Processes } from "../../world/process/processes.ts";
import { EnvError } from "../../world/process/types.ts";
import { openContainer } from "./container-view.ts";
import { openReflink, openWorktree } from "./copies.ts";
import { NO_SPACE } from "./git-store.ts";
import { KindUnavailable, type OpenedKind, type Opening } from "./kinds.ts";
import { stepsBetween } from "./landing-steps.ts";
import { continuedOpening, deltasIn, recordIn, takenParts, writeRecord } from "./left-view.ts";
import { mergeWithMarkers } from "./merge.ts";
import { openOverlay } from "./overlay.ts";
import { type Part, retakePart, takeParts } from "./parts.ts";
import { putInView } from "./put-in-view.ts";
import { readDelta, takePartIn } from "./read-delta.ts";
import { recoverStore } from "./recover.ts";
import { type Delta, type LandingConflict, VIEW_KINDS, type View, type ViewKind, type ViewRequest } from "./types.ts";
import { claimFolder, isFullDisk, RECORD, releaseFolder, removeFolder, takeOver } from "./view-folder.ts";

const OPENERS: Readonly<Record<Exclude<ViewKind, "none">, (opening: Opening) => Promise<OpenedKind>>> = {
  overlay: openOverlay,
  reflink: openReflink,
  worktree: openWorktree,
  container: openContainer,
};

/** Throws an EnvError that explains why such a view is impossible. */
export async function openView(request: ViewRequest): Promise<View> {
  refuseBadRequest(request);
  if (request.kind === "none") return noView(request);
  const processes = new Processes({ clock: request.host.clock });
  await recoverStore(request.store, request.host);
  const kinds = request.kind === "auto" ? automaticKinds(request) : [request.kind];
  const passedOver: string[] = [];
  for (const kind of kinds) {
    const folder = claimFolder(request.store, request.id);
    let taken: Promise<Part[]> | undefined;
    const opening: Opening = {
      request,
      folder,
      processes,
      parts: () => {
        taken ??= takeParts({ ...request, folder: join(folder, "git"), processes, path: request.host.baseEnv["PATH"] });
        return taken;
      },
    };
    try {
      const opened = await OPENERS[kind](opening);
      const view = new OpenView(opening, kind, opened, passedOver);
      if (request.isKept) await view.keep();
      return view;
    } catch (error) {
      await removeFolder(folder);
      if (!(error instanceof KindUnavailable) || request.kind !== "auto") {
        await processes.cleanup();
        throw isFullDisk(error) ? new EnvError("io", NO_SPACE) : error;
      }
      passedOver.push(`${kind}: ${error.message}`);
    }
  }
  await processes.cleanup();
  throw new EnvError("unavailable", `No kind of isolated copy works for ${request.root}. ${passedOver.join(". ")}.`);
}

/** Opens a view that a process left. */
export type LeftRequest = Omit<ViewRequest, "kind" | "isKept" | "agent">;

/** Opens a view that a process left, with its changes; its kind stays the same. */
export async function continueView(request: LeftRequest): Promise<View> {
  await recoverStore(request.store, request.host);
  return openLeft(request, false);
}

/** The same, only for reading what was changed: no command runs in it. Call this after the store has been recovered. */
export function readView(request: LeftRequest): Promise<View> {
  return openLeft(request, true);
}

async function openLeft(request: LeftRequest, isOnlyRead: boolean): Promise<View> {
  const { store, id, host } = request;
  const folder = join(store, id);
  const record = recordIn(folder);
  if (!record) throw new EnvError("io", `There is no isolated copy named ${id} to continue.`);
  if (!takeOver(store, id))
    throw new EnvError("exists", `Another process is using the isolated copy ${id}.`, { path: folder });
  const processes = new Processes({ clock: host.clock });
  try {
    const { kind, agent } = record;
    const opening = continuedOpening({ ...request, kind, agent, isKept: true }, folder, record, processes);
    const opened = await OPENERS[kind]({ ...opening, isOnlyRead });
    const view = new OpenView(opening, kind, opened, [], deltasIn(folder, record));
    if (!isOnlyRead) await view.keep();
    return view;
  } catch (error) {
    await processes.cleanup();
    releaseFolder(folder);
    throw error;
  }
}

/** A container is used only if the user has chosen an image. */
function automaticKinds({ container }: ViewRequest): Exclude<ViewKind, "none">[] {
  return ["overlay", "reflink", "worktree", ...(container ? (["container"] as const) : [])];
}

class OpenView implements View {
  readonly id: string;
  readonly kind: ViewKind;
  readonly passedOver: readonly string[];
  readonly #opening: Opening;
  readonly #opened: OpenedKind;
  #deltas: number;
  /** As of when the view was opened, or rebased. */
  #parts: Promise<readonly Part[]>;
  #closing: Promise<void> | undefined;

  constructor(opening: Opening, kind: ViewKind, opened: OpenedKind, passedOver: readonly string[], deltas = 0) {
    this.id = opening.request.id;
    this.kind = kind;
    this.passedOver = passedOver;
    this.#deltas = deltas;
    this.#opening = opening;
    this.#opened = opened;
    this.#parts = opening.parts();
  }

  get env() {
    return this.#opened.env;
  }

  async delta(): Promise<Delta> {
    const { request } = this.#opening;
    const { files, source } = this.#opened;
    return readDelta({
      id: this.id,
      root: request.root,
      parts: await this.#parts,
      number: ++this.#deltas,
      files,
      source,
    });
  }

  async rebase(): Promise<readonly LandingConflict[]> {
    const conflicts: LandingConflict[] = [];
    await this.#ontoProject(async ({ git, top, base }, own, now) => {
      const merged = await mergeWithMarkers(git, now, { id: this.id, base, tree: own });
      conflicts.push(...merged.conflicts.map((conflict) => ({ ...conflict, path: join(top, conflict.path) })));
      return merged.tree;
    });
    return conflicts;
  }

  reset(): Promise<void> {
    return this.#ontoProject(async (_part, _own, now) => now);
  }

  /**
   * From now on, deltas are relative to the current project. `wanted`: computes the new files from the view's and the
   * project's.
   */
  async #ontoProject(wanted: (part: Part, own: string, now: string) => Promise<string>): Promise<void> {
    const parts: Part[] = [];
    const number = ++this.#deltas;
    const known = await this.#parts;
    for (const part of known) {
      const { git, top } = part;
      const index = join(git.gitDir, `delta-${number}`);
      const own = await takePartIn(part, known, index, await this.#opened.source(part));
      const now = await retakePart(part, `${index}-below`);
      const steps = await stepsBetween(git, top, own.tree, await wanted(part, own.tree, now.tree));
      await putInView(this.env, steps);
      parts.push({ ...part, base: now.tree, baseIndex: `${index}-below` });
    }
    this.#parts = Promise.resolve(parts);
    if (this.#opening.request.isKept) await this.keep();
  }

  /** Writes the record that is needed to continue the view. */
  async keep(): Promise<void> {
    const kind = this.#opened.leftAs ?? this.kind;
    if (kind === "none" || kind === "container")
      throw new EnvError("io", `An isolated copy of the kind ${kind} cannot outlive its process.`);
    const { folder, request } = this.#opening;
    const { root, agent } = request;
    const parts = takenParts(await this.#parts);
    writeRecord(folder, { root, kind, deltas: this.#deltas, parts, ...(agent ? { agent } : {}) });
  }

  leave(): Promise<void> {
    this.#closing ??= this.#end().then(() => this.#release());
    return this.#closing;
  }

  #release(): void {
    try {
      releaseFolder(this.#opening.folder);
    } catch (error) {
      // The view is left anyway; it belongs to us until this process ends.
      if (!isFullDisk(error)) throw error;
    }
  }

  unkeep(): void {
    rmSync(join(this.#opening.folder, RECORD), { force: true });
  }

  close(): Promise<void> {
    this.#closing ??= this.#end().then(() => removeFolder(this.#opening.folder));
    return this.#closing;
  }

  async #end(): Promise<void> {
    await this.#opened.env.cleanup();
    await this.#opened.close();
    await this.#opening.processes.cleanup();
  }
}

/** The project itself: nothing is kept apart, so there is nothing to land. */
function noView({ id, root, host, sandbox }: ViewRequest): View {
  const env = sandbox
    ? new SandboxedLocalEnvironment({ ...host, ...sandbox, cwd: root, roots: () => [root] })
    : new LocalEnvironment({ ...host, cwd: root });
  return {
    id,
    kind: "none",
    passedOver: [],
    env,
    delta: async () => ({ id, parts: [], changedBelow: [], leftOut: [] }),
    rebase: async () => [],
    reset: async () => {},
    leave: () => env.cleanup(),
    unkeep: () => {},
    close: () => env.cleanup(),
  };
}

function refuseBadRequest({ kind, root, store }: ViewRequest): void {
  if (kind !== "auto" && !VIEW_KINDS.includes(kind)) {
    throw new EnvError("io", `There is no isolated copy of kind "${kind}". Choose auto, ${VIEW_KINDS.join(", ")}.`);
  }
  if (root === "/")
    throw new EnvError("io", "The whole disk cannot become an isolated copy. Start in a project's folder.");
  if (isInside(store, root) || isInside(root, store)) {
    throw new EnvError("io", `Isolated copies of ${root} cannot be kept in ${store}: one is inside the other.`, {
      path: store,
    });
  }
}
