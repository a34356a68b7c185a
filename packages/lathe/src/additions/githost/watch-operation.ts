// The operation run_watch: which runs to watch, how a call waits for them, and what it reports.

import { type ToolContext, ToolFailure, type ToolResult } from "@lathe/agent";
import { linksIn, markWebText } from "@lathe/agent/files";
import { backgroundNote, type GithubArgs, runDetachable } from "@lathe/agent/tools";
import { type CiHost, ciHost } from "./ci-hosts.ts";
import type { HostPlaces, Place } from "./host-places.ts";
import { type RepoRef, repoOfPage } from "./hosts.ts";
import { currentBranch } from "./push.ts";
import {
  runLines,
  tailOf,
  WATCH_TIMES,
  type WatchEnd,
  type Watched,
  type WatchTimes,
  watchRuns,
  wholeLogs,
} from "./run-watch.ts";
import { limitOf } from "./search-query.ts";
import { startWatch, type WatchWork } from "./watch-job.ts";

export interface WatchPlace {
  readonly place: Place;
  readonly places: HostPlaces;
  readonly repo: RepoRef;
  readonly now: () => number;
  readonly times?: WatchTimes;
}

const DEFAULT_TAIL = 15;
const MOST_TAIL = 200;

export async function runWatch(args: GithubArgs, where: WatchPlace, context: ToolContext): Promise<ToolResult> {
  const { repo, places, place, now, times = WATCH_TIMES } = where;
  const tail = limitOf("tail", args.tail, DEFAULT_TAIL, MOST_TAIL);
  const id = runNumber(args.run, places.hosts);
  const first = ciHost(await places.api(repo.host, context), repo.path);
  const watched = id === undefined ? await commitOf(args, place, first) : { run: id };
  const source = `${repo.host.web}/${repo.path}`;
  const { jobs, background, runningCommands } = context.services;
  if (args.background && (!jobs || background?.onRequest === false))
    throw new ToolFailure("It cannot run in the background here: leave out `background`.");
  let last: WatchEnd | undefined;
  let isJob = args.background ?? false;
  const work: WatchWork = async (signal, onOutput) => {
    const ci = ciHost(await places.api(repo.host, { ...context, signal }), repo.path);
    const wait = (ms: number): Promise<void> => pause(ms, signal);
    const end = await watchRuns(watched, { ci, times, wait, onChange: onOutput });
    last = end;
    const text = reportText(repo, watched, end, { tail, artifact: await keepLogs(end, context) });
    return { text: isJob ? markWebText(text, source) : text, isSuccess: isGreen(end) };
  };
  const start = (): ReturnType<typeof startWatch> =>
    startWatch(summaryOf(repo, watched), work, { now, onOutput: (text) => context.onOutput(text, "stdout") });
  if (isJob && jobs) {
    const job = jobs.start(summaryOf(repo, watched), start);
    const text = `Watching CI as job ${job.id}. You will be told when it ends.`;
    return { content: [{ kind: "text", text }], details: { jobId: job.id }, effects: "none" };
  }
  const handle = start();
  const ended = await runDetachable(handle.command, context, {
    timeoutMs: 0,
    afterMs: jobs ? (background?.afterMs ?? 0) : 0,
    options: {},
    running: jobs && runningCommands,
    start: () => handle,
  });
  if ("handle" in ended && jobs) {
    isJob = true;
    const job = jobs.adopt(ended.handle);
    const text = backgroundNote({ job, why: ended.why });
    return { content: [{ kind: "text", text }], details: { jobId: job.id }, effects: "none" };
  }
  context.signal.throwIfAborted();
  if (!handle.outcome || !last) throw handle.error ?? new ToolFailure("The watch ended without a result.");
  const { text } = handle.outcome;
  const conclusion = isGreen(last) ? "success" : "failure";
  const details = { outcome: conclusion, conclusion, repo: repo.path, runIds: last.runs.map((run) => run.id) };
  return { content: [{ kind: "text", text }], details, effects: "none", fromWeb: { source, links: linksIn(text) } };
}

const isGreen = ({ runs, failed }: WatchEnd): boolean =>
  failed.length === 0 && runs.every(({ state }) => state === "success");

const summaryOf = ({ path }: RepoRef, watched: Watched): string =>
  "run" in watched ? `watch CI run ${watched.run} of ${path}` : `watch CI of ${path} ${watched.branch}`;

/** The id of a run, from a number or the address of a run, job or pipeline. */
function runNumber(run: string | undefined, hosts: HostPlaces["hosts"]): number | undefined {
  if (run === undefined) return undefined;
  if (/^\d+$/.test(run.trim())) return Number(run);
  const rest = URL.canParse(run) ? (repoOfPage(new URL(run), hosts)?.rest.join("/") ?? "") : "";
  const [, id] = /^(?:actions\/runs|pipelines)\/(\d+)(?:\/|$)/.exec(rest) ?? [];
  if (id === undefined) throw new ToolFailure(`"${run}" is not a run: give its number, or the address of its page.`);
  return Number(id);
}

/** The last commit of the branch on the host; commits that were not pushed have no runs. */
async function commitOf({ branch }: GithubArgs, { git }: Place, ci: CiHost): Promise<Watched> {
  const name = branch ?? (await currentBranch(git));
  const commit = await ci.headOf(name);
  if (commit === "") throw new ToolFailure(`The host has no commit for ${name}. Push the branch first.`);
  return { commit, branch: name };
}

async function keepLogs({ failed }: WatchEnd, { openArtifact }: ToolContext): Promise<number | undefined> {
  if (failed.length === 0) return undefined;
  const artifact = openArtifact("github");
  artifact.write(Buffer.from(wholeLogs(failed)));
  return (await artifact.close()).id;
}

function reportText(
  { path }: RepoRef,
  watched: Watched,
  end: WatchEnd,
  { tail, artifact }: { readonly tail: number; readonly artifact: number | undefined },
): string {
  const what = "run" in watched ? `run ${watched.run}` : `${watched.branch} at ${watched.commit.slice(0, 9)}`;
  const logs = end.failed.flatMap(({ run, job, log }) => [
    "",
    `## ${run.name} / ${job.name}: ${job.said}`,
    log === undefined ? "Log tail unavailable." : tailOf(log, tail),
  ]);
  return [
    `# CI of ${path}, ${what}: ${isGreen(end) ? "success" : "failure"}`,
    ...end.runs.flatMap(runLines),
    ...logs,
    ...(artifact === undefined ? [] : ["", `Full failed-job logs: artifact://${artifact}`]),
  ].join("\n");
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const give = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", give);
      resolve();
    }, ms);
    signal.addEventListener("abort", give, { once: true });
    if (signal.aborted) give();
  });
}
