// run_watch against a host over real HTTP. Only the pauses between two checks are shorter than the user's.

import { LocalEnvironment, type ToolContext } from "@lathe/agent";
import { webGate } from "@lathe/agent/files";
import { type Job, Jobs, RunningCommands } from "@lathe/agent/tools";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type HostServer, Plain, startHost } from "../../../test/githost-kit.ts";
import { HostPlaces } from "./host-places.ts";
import { runWatch } from "./watch-operation.ts";

let host: HostServer;
const env = new LocalEnvironment({ cwd: "/", baseEnv: { PATH: process.env["PATH"] ?? "" } });
beforeAll(async () => {
  host = await startHost();
});
afterAll(async () => {
  await host.close();
  await env.cleanup();
});
beforeEach(() => {
  host.requests.length = 0;
  for (const key of Object.keys(host.answers)) delete host.answers[key];
});

const run = (id: number, status: string, conclusion: string | null = null) => ({
  ...{ id, name: `Flow ${id}`, status, conclusion, html_url: `https://github.com/o/r/actions/runs/${id}` },
});

function watcher(kind: "github" | "gitlab" = "github") {
  const redactor = { add: () => undefined };
  const variables = { GITHUB_API_URL: host.url, CI_API_V4_URL: host.url };
  const places = new HostPlaces({
    env: {},
    userEnv: {},
    machine: { env: variables, userHome: "/nowhere" },
    redactor,
  } as never);
  const found = places.hosts.find((one) => one.kind === kind)!;
  const artifacts: string[] = [];
  const jobs = new Jobs();
  const news: Job[] = [];
  jobs.follow({ onStart: () => undefined, onEnd: () => undefined, news: (job) => void news.push(job) });
  const running = new RunningCommands();
  const output: string[] = [];
  const stop = new AbortController();
  const context = {
    env,
    signal: stop.signal,
    services: { vision: false, web: { gate: webGate({ env }) }, jobs, runningCommands: running },
    onOutput: (text: string) => void output.push(text),
    openArtifact: () => ({
      id: artifacts.length,
      write: (bytes: Uint8Array) => void artifacts.push(Buffer.from(bytes).toString()),
      close: async () => ({ id: artifacts.length - 1, bytes: 0 }),
    }),
  } as unknown as ToolContext;
  const watch = async (args: object = {}) => {
    const place = await places.at(context);
    const where = {
      place,
      places,
      repo: { host: found, path: "o/r" },
      now: Date.now,
      times: { pollMs: 20, graceMs: 30, startMs: 60, mostMs: 60_000 },
    };
    return runWatch({ op: "run_watch", branch: "main", ...args }, where, context);
  };
  const say = async (args?: object): Promise<string> => {
    const [part] = (await watch(args)).content;
    return part?.kind === "text" ? part.text : "";
  };
  return { watch, say, artifacts, jobs, news, running, output, stop };
}

const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const branch = (): void => {
  host.answers["GET /repos/o/r/branches/main"] = { commit: { sha: COMMIT } };
};

test("T-GH-3 a run that begins late is waited for, and success must be the same runs twice", async () => {
  branch();
  const looks = [
    [],
    [run(1, "completed", "success")],
    [run(1, "completed", "success"), run(2, "in_progress")],
    [run(1, "completed", "success"), run(2, "completed", "skipped")],
  ];
  let at = 0;
  host.answers["GET /repos/o/r/actions/runs"] = () => ({ workflow_runs: looks[Math.min(at++, looks.length - 1)] });
  host.answers["GET /repos/o/r/actions/runs/1/jobs"] = {
    jobs: [{ id: 11, name: "test", status: "completed", conclusion: "success" }],
  };
  host.answers["GET /repos/o/r/actions/runs/2/jobs"] = { jobs: [] };
  const { say, output } = watcher();
  expect(await say()).toBe(
    "# CI of o/r, main at 012345678: success\nFlow 1 (run 1): success https://github.com/o/r/actions/runs/1\n  test: success\nFlow 2 (run 2): skipped https://github.com/o/r/actions/runs/2",
  );
  expect(at).toBe(5);
  expect(host.requests.find(({ url }) => url.includes("head_sha"))?.url).toBe(
    `/repos/o/r/actions/runs?head_sha=${COMMIT}&per_page=100`,
  );
  expect(output[0]).toBe("No runs yet.\n");
});

test("T-GH-3 of a failed job the last 15 lines are shown and all 500 kept; one without a log does not spoil the report", async () => {
  branch();
  host.answers["GET /repos/o/r/actions/runs"] = { workflow_runs: [run(1, "completed", "failure")] };
  host.answers["GET /repos/o/r/actions/runs/1/jobs"] = {
    jobs: [
      { id: 11, name: "test", status: "completed", conclusion: "failure" },
      { id: 12, name: "lint", status: "completed", conclusion: "timed_out" },
    ],
  };
  const lines = Array.from({ length: 500 }, (_, n) => `2026-01-01T00:00:00.1234567Z line ${n + 1}`);
  host.answers["GET /repos/o/r/actions/jobs/11/logs"] = new Plain(302, "", { location: `${host.url}/stored/log` });
  host.answers["GET /stored/log"] = new Plain(200, `\uFEFF${lines.join("\r\n")}\r\n`);
  const { say, artifacts } = watcher();
  const text = await say();
  const shown = Array.from({ length: 15 }, (_, n) => `line ${486 + n}`).join("\n");
  expect(text).toBe(
    `# CI of o/r, main at 012345678: failure\nFlow 1 (run 1): failure https://github.com/o/r/actions/runs/1\n  test: failure\n  lint: timed out\n\n## Flow 1 / test: failure\n${shown}\n\n## Flow 1 / lint: timed out\nLog tail unavailable.\n\nFull failed-job logs: artifact://0`,
  );
  expect(artifacts[0]?.match(/^line \d+$/gm)).toHaveLength(500);
  expect(artifacts[0]).toContain("==> Flow 1 / lint <==\nFull log unavailable.");
  expect((await say({ tail: 900 })).match(/^line \d+$/gm)).toHaveLength(200);
});

test("T-GH-3 after the first failure it looks once more, so that failures of the same moment are reported together", async () => {
  let at = 0;
  host.answers["GET /repos/o/r/actions/runs/1"] = () => run(1, "in_progress");
  host.answers["GET /repos/o/r/actions/runs/1/jobs"] = () => ({
    jobs: [
      { id: 11, name: "a", status: "completed", conclusion: "failure" },
      {
        id: 12,
        name: "b",
        ...(at++ === 0 ? { status: "in_progress" } : { status: "completed", conclusion: "failure" }),
      },
    ],
  });
  const { say } = watcher();
  const text = await say({ run: "https://github.com/o/r/actions/runs/1/job/11" });
  expect(text).toContain("## Flow 1 / a: failure");
  expect(text).toContain("## Flow 1 / b: failure");
  expect(at).toBe(2);
});

test("T-GH-3 a pipeline of GitLab, where a job that may fail spoils nothing", async () => {
  host.answers["GET /projects/o%2Fr/repository/branches/main"] = { commit: { id: COMMIT } };
  host.answers["GET /projects/o%2Fr/pipelines"] = [
    { id: 5, status: "failed", web_url: "https://gitlab.com/o/r/-/pipelines/5" },
  ];
  host.answers["GET /projects/o%2Fr/pipelines/5/jobs"] = [
    { id: 51, name: "optional", status: "failed", allow_failure: true },
    { id: 52, name: "build", status: "failed", allow_failure: false },
  ];
  host.answers["GET /projects/o%2Fr/jobs/52/trace"] = new Plain(200, "make: *** [all] Error 2\n");
  const text = await watcher("gitlab").say();
  expect(text).toContain("pipeline 5 (run 5): failed https://gitlab.com/o/r/-/pipelines/5");
  expect(text).toContain("## pipeline 5 / build: failed\nmake: *** [all] Error 2");
  expect(text).not.toContain("## pipeline 5 / optional");
});

test("T-GH-3 a watch goes on as a job, on request or when the user sends it there; its end is told once, an abort ends it", async () => {
  let isOver = false;
  host.answers["GET /repos/o/r/actions/runs/1"] = () =>
    isOver ? run(1, "completed", "failure") : run(1, "in_progress");
  host.answers["GET /repos/o/r/actions/runs/1/jobs"] = () => ({
    jobs: [{ id: 11, name: "t", ...(isOver ? { status: "completed", conclusion: "failure" } : { status: "queued" }) }],
  });
  host.answers["GET /repos/o/r/actions/jobs/11/logs"] = new Plain(200, "assertion failed\n");
  const { watch, say, jobs, news, running, stop } = watcher();
  expect(await say({ run: "1", background: true })).toBe("Watching CI as job 1. You will be told when it ends.");
  const second = watch({ run: "1" });
  while (running.list().length === 0) await new Promise((resolve) => setImmediate(resolve));
  running.detachAll();
  expect((await second).details).toEqual({ jobId: 2 });
  const third = watch({ run: "1" });
  while (running.list().length === 0) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await expect(third).rejects.toThrow();
  isOver = true;
  await Promise.all(jobs.list().map(({ handle }) => handle.done));
  await new Promise((resolve) => setImmediate(resolve));
  expect(news.map(({ id, result }) => [id, result?.exitCode]).sort()).toEqual([
    [1, 1],
    [2, 1],
  ]);
  const told = news.map(({ handle, read }) => handle.read(read).text);
  for (const text of told)
    expect(text).toMatch(
      /\[From the web \(https:\/\/github\.com\/o\/r\)\.[^\n]*\n# CI of o\/r, run 1: failure\n(?:.*\n)*assertion failed/,
    );
});

test("T-GH-3 a host that fails for a moment is asked again, one that refuses is not; a commit without runs ends the watch", async () => {
  branch();
  let asked = 0;
  host.answers["GET /repos/o/r/actions/runs/1"] = () =>
    ++asked < 4 ? new Plain(502, "bad gateway") : run(1, "completed", "success");
  host.answers["GET /repos/o/r/actions/runs/1/jobs"] = { jobs: [] };
  const { say } = watcher();
  expect(await say({ run: "1" })).toContain("success");
  expect(asked).toBe(4);
  await expect(say({ run: "2" })).rejects.toThrow("with status 404: Not Found.");
  expect(host.requests.filter(({ url }) => url.endsWith("/runs/2"))).toHaveLength(1);
  host.answers["GET /repos/o/r/actions/runs"] = { workflow_runs: [] };
  await expect(say()).rejects.toThrow("No CI run of this commit began in 0.06 seconds. Is CI set up for the branch?");
});
