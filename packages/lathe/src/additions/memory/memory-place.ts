// The memories visible in one folder: its project, its scope, the project's files, and the database, which is opened on
// first use.

import type { ExecutionEnvironment } from "@lathe/agent";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { FileDigests } from "./file-digests.ts";
import { FileMarks } from "./file-marks.ts";
import { type CheckedMemory, checkMemories } from "./find-memories.ts";
import { readHint, type ShownHint, showHint } from "./hint.ts";
import { hintFile, keepHint } from "./keep-hint.ts";
import { type Memory, projectsSeen, type Scoping } from "./memory.ts";
import { memoryFileProblem, openMemoryFile } from "./memory-file.ts";
import { MemoryStore } from "./memory-store.ts";
import { databaseIn, marksIn, projectOfFolder } from "./places.ts";

export class MemoryPlace {
  readonly project: string;
  readonly scoping: Scoping;
  readonly home: string;
  readonly digests: FileDigests;
  readonly #mostTokens: number;
  readonly #marks: FileMarks | undefined;
  #store: Promise<MemoryStore> | undefined;

  /** `env`: the environment of the session; `isHere`: whether its files are those of this machine. */
  constructor({ cwd, settings, paths, machine }: SessionWorkspace, env: () => Files, isHere: boolean) {
    const { project, root } = projectOfFolder(cwd);
    this.project = project;
    this.scoping = settings["memory.scoping"] as Scoping;
    this.home = paths.home;
    this.#marks = isHere ? new FileMarks(marksIn(this.home), machine.deps.now) : undefined;
    this.digests = new FileDigests(root, env, this.#marks);
    this.#mostTokens = settings["memories.summaryInjectionTokenLimit"];
  }

  /** The projects whose memories are visible here. */
  get seen(): readonly string[] {
    return projectsSeen(this.scoping, this.project);
  }

  store(): Promise<MemoryStore> {
    this.#store ??= this.#open();
    return this.#store;
  }

  /** The hint for a session that starts now. This does not touch the database. */
  hint(): Promise<ShownHint> {
    const hints = this.seen.flatMap((project) => readHint(hintFile(this.home, project), project) ?? []);
    return showHint(hints, this.digests, this.#mostTokens);
  }

  /** Why there are no memories, as far as we can tell without opening the database. */
  get problem(): string | undefined {
    return memoryFileProblem(databaseIn(this.home));
  }

  /** Updates the hint after a change of the project's memories. */
  async keepHint(project: string): Promise<void> {
    keepHint(await this.store(), this.home, project);
  }

  check<T extends Memory>(memories: readonly T[]): Promise<readonly CheckedMemory<T>[]> {
    return checkMemories(memories, this.digests);
  }

  async close(): Promise<void> {
    this.#marks?.save();
    const store = await this.#store?.catch(() => undefined);
    this.#store = undefined;
    store?.db.close();
  }

  async #open(): Promise<MemoryStore> {
    const store = new MemoryStore(await openMemoryFile(databaseIn(this.home)));
    // A killed process may have changed memories without updating the hint.
    for (const project of this.seen)
      if ((readHint(hintFile(this.home, project), project)?.revision ?? 0) !== store.revision(project))
        keepHint(store, this.home, project);
    return store;
  }
}

type Files = Pick<ExecutionEnvironment, "stat" | "readBytes" | "resolve">;
