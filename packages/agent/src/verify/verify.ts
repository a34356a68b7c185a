// Verifies work: runs the checks that cover it, again with the old tests, and new tests with the old code. The verdict
// follows only from these runs; nothing that a model says affects it.

import { dirname, join, relative } from "node:path";
import { type Arrangement, arrange } from "./arrange.ts";
import { changedAbove, changedBehind, changedGit, changedHomeFiles, changedNamed, compiledPython } from "./outside.ts";
import { type ChangedPackages, changedPackages, userPackages } from "./packages.ts";
import { type ChangedPrograms, changedPrograms, type LinkedPrograms, linkedPrograms } from "./programs.ts";
import { fatesText, matchAny, type RestsOn, restsOn } from "./rests-on.ts";
import { type CheckPlace, openCheckView, prepare, runCheck } from "./run.ts";
import type { Change, Check, CheckRun, FilesBefore, RunOf, VerifyReport, VerifyRequest } from "./types.ts";

/** If there are more new tests than this, they are judged together. */
const MOST_ALONE = 4;

/** Fails only if git or the disk does, or if it is stopped. */
export function verify(request: VerifyRequest): Promise<VerifyReport> {
  return new Verifying(request).run();
}

/** The checks that cover one of the files, and the covered files; paths are relative to where checks run. */
export function coverage(checks: readonly Check[], paths: readonly string[]) {
  const covering = checks.filter(({ covers }) => !covers?.length || paths.some(matchAny(covers)));
  const isCovered = (path: string): boolean => covering.some(({ covers }) => !covers?.length || matchAny(covers)(path));
  return {
    checks: paths.length === 0 ? [] : covering,
    covered: paths.filter(isCovered),
    uncovered: paths.filter((path) => !isCovered(path)),
  };
}

class Verifying {
  readonly #request: VerifyRequest;
  readonly #arrangement: Arrangement;
  readonly #rests: RestsOn;
  /** Where checks run. */
  readonly #cwd: string;
  readonly #checks: readonly Check[];
  readonly #report: { covered: readonly string[]; uncovered: readonly string[] };
  readonly #runs: CheckRun[] = [];
  /** Why no view was possible. */
  readonly #noView: string[] = [];
  #programs: ChangedPrograms | undefined;
  #linked: LinkedPrograms | undefined;
  #ranIn: VerifyReport["ranIn"];
  #idle: readonly string[] = [];
  #before: FilesBefore | undefined;

  constructor(request: VerifyRequest) {
    const { place, changes, checks, isOnDisk, tests } = request;
    this.#request = request;
    this.#rests = restsOn(tests);
    this.#cwd = place.cwd ?? place.root;
    this.#arrangement = arrange({ root: place.root, cwd: this.#cwd, isOnDisk }, changes, this.#rests);
    const { checks: covering, ...report } = coverage(
      checks,
      changes.map(({ path }) => relative(this.#cwd, path)),
    );
    this.#checks = changes.length === 0 ? checks : covering;
    this.#report = report;
  }

  async run(): Promise<VerifyReport> {
    const { changes, checks, runsUnchanged = false } = this.#request;
    if (checks.length === 0) return this.#end("none");
    if (changes.length === 0 && !runsUnchanged) return this.#end("none", "Nothing was changed.");
    if (this.#checks.length === 0)
      return this.#end("none", `No check covers what was changed: ${shortList(this.#report.uncovered)}.`);
    const doubts: string[] = [];
    const now = await this.#runAll("now", doubts);
    if (!now.isViewed && this.#noView.length > 0 && this.#ranIn === undefined)
      return this.#end("unverified", `No check could run: ${this.#noView.join(" ")}`);
    if (now.failed) return this.#end("failed", failureText(now.failed));
    doubts.push(...this.#outsideDoubts());
    const old = await this.#oldTests();
    if (old !== undefined) doubts.unshift(old);
    if (doubts.length > 0) return this.#end("unverified", ...doubts);
    await this.#newTests();
    const notes =
      this.#idle.length === 0 ? [] : [`${shortList(this.#idle)} passes with the old code too, so it proves nothing.`];
    return this.#end("verified", ...notes);
  }

  /** Undefined if the check also passes with the old tests, or the tests are unchanged. */
  async #oldTests(): Promise<string | undefined> {
    const { named } = this.#arrangement;
    if (named.length === 0 || this.#hasFirstTests()) return undefined;
    const doubts: string[] = [];
    const { failed, isViewed } = await this.#runAll("old tests", doubts);
    if (!isViewed) return `${fatesText(named)}, and the old version could not be tried: ${this.#noView.join(" ")}`;
    return failed && `${fatesText(named)}; with the old version, \`${failed.command}\` ${endText(failed)}.`;
  }

  /** True if the first tests were added and nothing else that checks rest on was changed. */
  #hasFirstTests(): boolean {
    const { named, newTests } = this.#arrangement;
    const { root } = this.#request.place;
    if (newTests.length === 0 || named.length !== newTests.length) return false;
    return this.#filesBefore()?.files.some((path) => this.#rests.isTest(relative(root, path))) === false;
  }

  #filesBefore(): FilesBefore | undefined {
    this.#before ??= this.#request.before?.();
    return this.#before;
  }

  /** A test that also passes with the old code says nothing about the work. */
  async #newTests(): Promise<void> {
    const { newTests, hasCode } = this.#arrangement;
    if (newTests.length === 0 || !hasCode) return;
    const names = newTests.map(({ path }) => relative(this.#cwd, path));
    const { failed, isViewed } = await this.#runAll("old code", []);
    if (!isViewed) return;
    if (!failed) this.#idle = names;
    else if (newTests.length > 1 && newTests.length <= MOST_ALONE) {
      const idle: string[] = [];
      for (const [i, test] of newTests.entries())
        if (!(await this.#runAll("old code", [], test)).failed) idle.push(names[i]!);
      this.#idle = idle;
    }
  }

  /** Runs all checks in one place, up to the first that fails. */
  async #runAll(of: RunOf, doubts: string[], only?: Change) {
    const { place: where, signal, since } = this.#request;
    const { root } = where;
    const place = await this.#open(of, only);
    if (!place) return { failed: undefined, isViewed: false };
    this.#ranIn ??= place.kind;
    try {
      if (since !== undefined && of === "now")
        this.#programs = changedPrograms(where.host.baseEnv["PATH"] ?? "", since, this.#cwd);
      const variables = await prepare(place, root, {
        ...{ since, programs: this.#programs },
        folders: this.#cwd === root ? [root] : [root, this.#cwd],
        stale: since === undefined ? [] : compiledPython(this.#filesBefore()?.files ?? [], since),
      });
      const looking = of === "now" && since !== undefined ? this.#packageDoubts(place, since) : undefined;
      // Nothing awaits this promise if a check fails first.
      looking?.catch(() => {});
      for (const check of this.#checks) {
        this.#request.onStart?.({ command: check.command, of });
        const run = await runCheck(place, check, { of, cwd: this.#cwd, variables, signal });
        this.#runs.push(run);
        if (!run.passed) return { failed: run, isViewed: place.kind !== "project" };
      }
      doubts.push(...((await looking) ?? []));
      return { failed: undefined, isViewed: place.kind !== "project" };
    } finally {
      await place.close();
    }
  }

  async #open(of: RunOf, only: Change | undefined): Promise<CheckPlace | undefined> {
    const { place, signal, isOnDisk } = this.#request;
    const why = (reason: string): void => {
      if (!this.#noView.includes(reason)) this.#noView.push(reason);
    };
    const view = await openCheckView(place, this.#arrangement.stepsFor(of, only), { of, signal, why });
    if (view || of !== "now" || !isOnDisk || !place.project) return view;
    return { env: place.project, kind: "project", close: async () => {} };
  }

  async #packageDoubts({ env }: CheckPlace, since: number): Promise<string[]> {
    const { place, signal, changes, home } = this.#request;
    const { root } = place;
    // Lets the check begin in the meantime.
    await new Promise(setImmediate);
    this.#linked = linkedPrograms(this.#programs?.links ?? [], since);
    const manifests = this.#filesBefore()?.files.filter((path) => path.endsWith("/package.json")) ?? [];
    const above: string[] = [];
    for (let folder = dirname(root); folder !== dirname(folder); folder = dirname(folder))
      above.push(join(folder, "node_modules"));
    const { tampered, isUndeclared }: ChangedPackages = await changedPackages({
      ...{ env, cwd: this.#cwd, since, changes, signal },
      folders: [...new Set([root, this.#cwd, ...manifests.map(dirname)])],
      outside: [
        ...above,
        ...this.#linked.packages,
        ...(home === undefined
          ? []
          : [...userPackages(home), join(home, ".node_modules"), join(home, ".node_libraries")]),
      ],
    });
    const names = tampered.map((path) => relative(this.#cwd, path));
    if (names.length > 0) return [`Files of installed packages were changed: ${shortList(names)}.`];
    return isUndeclared ? ["Packages were installed that no manifest names."] : [];
  }

  #outsideDoubts(): string[] {
    const { since, home, place } = this.#request;
    if (since === undefined) return [];
    const { root } = place;
    const commands = this.#checks.map(({ command }) => command);
    const links = this.#filesBefore()?.links.filter(({ path }) => this.#rests.isRested(relative(root, path))) ?? [];
    const programs = [
      ...(this.#programs?.overwritten ?? []),
      ...(this.#linked?.overwritten ?? []),
      ...(home === undefined ? [] : changedHomeFiles(home, since)),
    ];
    const others = [
      ...changedAbove(root, since, this.#rests.isConfiguration),
      ...changedNamed(commands, { root, cwd: this.#cwd, since, ...(home === undefined ? {} : { home }) }),
      ...changedBehind(links, root, since),
      ...changedGit(commands, root, since),
    ].filter((path) => !programs.includes(path));
    return [
      ...(programs.length === 0
        ? []
        : [`Programs or their configuration were changed during the work: ${shortList(programs)}.`]),
      ...(others.length === 0
        ? []
        : [`Changed during the work, in places that cannot be restored: ${shortList(others)}.`]),
    ];
  }

  #end(verdict: VerifyReport["verdict"], ...reasons: readonly string[]): VerifyReport {
    const { named } = this.#arrangement;
    return {
      verdict,
      reasons,
      runs: this.#runs,
      named,
      idle: this.#idle,
      ...this.#report,
      ranIn: this.#ranIn,
    };
  }
}

/** How a run ended, as the end of a sentence. */
export const endText = ({ exitCode, timedOut }: CheckRun): string =>
  timedOut ? "gave no result in time" : exitCode === -1 ? "was ended by a signal" : `failed (exit code ${exitCode})`;

const failureText = (run: CheckRun): string => `\`${run.command}\` ${endText(run)}.`;

/** For the user; names at most five. */
export function shortList(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(", ");
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}
