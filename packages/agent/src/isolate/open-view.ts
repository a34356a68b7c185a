// Opens views: tries the kinds that the request allows, best first, and says what it passed over.

import { join } from "node:path";
import { LocalEnvironment } from "../env/local.ts";
import { isInside } from "../env/sandbox/inside.ts";
import { SandboxedLocalEnvironment } from "../env/sandbox/sandboxed-local.ts";
import { Processes } from "../process/processes.ts";
import { EnvError } from "../process/types.ts";
import { openContainer } from "./container-view.ts";
import { openReflink, openWorktree } from "./copies.ts";
import { NO_SPACE } from "./git-store.ts";
import { KindUnavailable, type OpenedKind, type Opening } from "./kinds.ts";
import { stepsBetween } from "./landing-steps.ts";
import { mergeWithMarkers } from "./merge.ts";
import { openOverlay } from "./overlay.ts";
import { type Part, takeAgain, takeParts } from "./parts.ts";
import { putInView } from "./put-in-view.ts";
import { readDelta, takePartIn } from "./read-delta.ts";
import { recoverStore } from "./recover.ts";
import { type Delta, type LandingConflict, VIEW_KINDS, type View, type ViewKind, type ViewRequest } from "./types.ts";
import { claimFolder, removeFolder } from "./view-folder.ts";

const OPENERS: Readonly<Record<Exclude<ViewKind, "none">, (opening: Opening) => Promise<OpenedKind>>> = {
  overlay: openOverlay,
  reflink: openReflink,
  worktree: openWorktree,
  container: openContainer,
};

/** Fails with an EnvError that says why there can be no such view. */
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
      return new OpenView(opening, kind, opened, passedOver);
    } catch (error) {
      removeFolder(folder);
      if (!(error instanceof KindUnavailable) || request.kind !== "auto") {
        await processes.cleanup();
        throw ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "")
          ? new EnvError("io", NO_SPACE)
          : error;
      }
      passedOver.push(`${kind}: ${error.message}`);
    }
  }
  await processes.cleanup();
  throw new EnvError("unavailable", `No kind of view works for ${request.root}. ${passedOver.join(". ")}.`);
}

/** A container only when somebody has chosen an image. */
function automaticKinds({ container }: ViewRequest): Exclude<ViewKind, "none">[] {
  return ["overlay", "reflink", "worktree", ...(container ? (["container"] as const) : [])];
}

class OpenView implements View {
  readonly id: string;
  readonly kind: ViewKind;
  readonly passedOver: readonly string[];
  readonly #opening: Opening;
  readonly #opened: OpenedKind;
  #deltas = 0;
  /** As they were when the view was opened, or rebased. */
  #parts: Promise<readonly Part[]>;
  #closing: Promise<void> | undefined;

  constructor(opening: Opening, kind: ViewKind, opened: OpenedKind, passedOver: readonly string[]) {
    this.id = opening.request.id;
    this.kind = kind;
    this.passedOver = passedOver;
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
    const parts: Part[] = [];
    const number = ++this.#deltas;
    const known = await this.#parts;
    for (const part of known) {
      const { git, top, base } = part;
      const index = join(git.gitDir, `delta-${number}`);
      const own = await takePartIn(part, known, index, await this.#opened.source(part));
      const now = await takeAgain(part, `${index}-below`);
      const merged = await mergeWithMarkers(git, now.tree, { id: this.id, base, tree: own.tree });
      conflicts.push(...merged.conflicts.map((conflict) => ({ ...conflict, path: join(top, conflict.path) })));
      await putInView(this.env, await stepsBetween(git, top, own.tree, merged.tree));
      parts.push({ ...part, base: now.tree, baseIndex: `${index}-below` });
    }
    this.#parts = Promise.resolve(parts);
    return conflicts;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#opened.env.cleanup();
    await this.#opened.close();
    await this.#opening.processes.cleanup();
    removeFolder(this.#opening.folder);
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
    close: () => env.cleanup(),
  };
}

function refuseBadRequest({ kind, root, store }: ViewRequest): void {
  if (kind !== "auto" && !VIEW_KINDS.includes(kind)) {
    throw new EnvError("io", `There is no view of kind "${kind}". Choose auto, ${VIEW_KINDS.join(", ")}.`);
  }
  if (root === "/")
    throw new EnvError("io", "The whole machine cannot be put into a view. Start in a project's folder.");
  if (isInside(store, root) || isInside(root, store)) {
    throw new EnvError("io", `Views of ${root} cannot be kept in ${store}: one lies inside of the other.`, {
      path: store,
    });
  }
}
