// Keeps git outside the sandbox from running what a confined command prepared: protects the repositories of the roots
// while commands run, and checks afterwards what they left.

import { lstatSync, rmdirSync, unlinkSync } from "node:fs";
import { isInside } from "../is-inside.ts";
import { bytesOf } from "./find-entries.ts";
import {
  disarmLeftovers,
  disarmRebases,
  disarmSequences,
  findLinks,
  findRepositories,
  readSteps,
} from "./git-leftovers.ts";
import { type GitMount, gitMounts, isPlaceholder, makePlaceholders } from "./git-places.ts";

export class GitGuard {
  /** Determined when a root is first seen: later, a command might have changed where its repository appears to be. */
  readonly #mounts = new Map<string, readonly GitMount[]>();
  readonly #learning = new Map<string, Promise<void>>();
  readonly #before = {
    repositories: new Set<string>(),
    links: new Set<string>(),
    steps: new Map<string, string>(),
  };
  readonly #placeholders = new Set<string>();
  readonly #tooLarge = new Set<string>();
  readonly #isHostDisk: boolean;
  readonly #report: (message: string) => void;
  #checking: Promise<void> | undefined;
  #hasEndedSince = false;

  /** `isHostDisk`: commands see the real files of the roots. Otherwise, what they leave stays in a copy. */
  constructor(isHostDisk: boolean, report: (message: string) => void) {
    this.#isHostDisk = isHostDisk;
    this.#report = report;
  }

  /** Must finish before the first command sees these roots. */
  async learn(roots: readonly string[]): Promise<void> {
    for (const root of roots) if (!this.#learning.has(root)) this.#learning.set(root, this.#learnRoot(root));
    await Promise.all(roots.map((root) => this.#learning.get(root)));
  }

  /** The mounts that protect the repositories of these roots, outermost first. */
  mountsOf(roots: readonly string[]): GitMount[] {
    const mounts = roots.flatMap((root) => this.#mounts.get(root) ?? []);
    // Another session may have ended and removed its placeholders.
    if (this.#isHostDisk) for (const path of makePlaceholders(mounts)) this.#placeholders.add(path);
    return mounts;
  }

  /** Called when a command has ended. We check what it left while the agent goes on. */
  noteEnd(): void {
    this.#hasEndedSince = true;
    if (this.#isHostDisk) this.#checking ??= this.#checkLeftovers();
  }

  /** Call this after everything inside has ended. */
  async end(): Promise<void> {
    if (this.#isHostDisk && this.#mounts.size > 0) {
      this.noteEnd();
      await this.#checking;
      for (const said of [
        ...disarmRebases(this.#protectedMounts(), this.#before),
        ...disarmSequences(this.#protectedMounts()),
      ])
        this.#report(said);
    }
    for (const path of [...this.#placeholders].reverse()) removePlaceholder(path);
    this.#placeholders.clear();
    this.#mounts.clear();
    this.#learning.clear();
  }

  async #learnRoot(root: string): Promise<void> {
    // A repository in a folder that commands could already write to may be theirs.
    const isNew = ![...this.#mounts.keys()].some((other) => isInside(root, other));
    const found = this.#isHostDisk ? await findRepositories([root], [], () => this.#giveUp(root)) : [];
    const mounts = gitMounts(
      root,
      found.map((path) => bytesOf(path).toString()),
    );
    if (isNew) {
      for (const path of found) this.#before.repositories.add(path);
      for (const path of this.#isHostDisk ? await findLinks(mounts) : []) this.#before.links.add(path);
      for (const [folder, steps] of readSteps(mounts)) this.#before.steps.set(folder, steps);
    }
    this.#mounts.set(root, mounts);
  }

  async #checkLeftovers(): Promise<void> {
    while (this.#hasEndedSince) {
      this.#hasEndedSince = false;
      for (const message of await disarmLeftovers(this.#searchableRoots(), this.#protectedMounts(), this.#before))
        this.#report(message);
    }
    this.#checking = undefined;
  }

  /** Not all repositories there are known, so a new one cannot be distinguished from the user's. */
  #giveUp(root: string): void {
    this.#tooLarge.add(root);
    this.#report(`${root} has so many files that repositories created there by commands are not checked.`);
  }

  #searchableRoots(): string[] {
    const isTooLarge = (root: string): boolean => [...this.#tooLarge].some((large) => isInside(large, root));
    return [...this.#mounts.keys()].filter((root) => !isTooLarge(root));
  }

  #protectedMounts(): GitMount[] {
    return [...this.#mounts.values()].flat();
  }
}

function removePlaceholder(path: string): void {
  try {
    if (lstatSync(path).isDirectory()) rmdirSync(path);
    else if (isPlaceholder(path)) unlinkSync(path);
  } catch {
    // Git outside the sandbox created or deleted something there.
  }
}
