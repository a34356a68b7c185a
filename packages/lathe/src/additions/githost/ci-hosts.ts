// CI of both kinds of hosts, as needed for watching: runs of a commit, jobs of a run, the log of a job. GitLab calls
// its runs pipelines.

import { gitlabProject, itemsAt, numberAt, textAt } from "@lathe/agent/files";
import type { JsonValue } from "@lathe/llm";
import type { HostApi } from "./host-api.ts";
import { escapeQuery } from "./search-query.ts";

/** `waiting`: the run or job has not ended. */
type CiState = "waiting" | "success" | "failure";

export interface CiJob {
  readonly id: number;
  readonly name: string;
  readonly state: CiState;
  /** The state in the host's own words. */
  readonly said: string;
}

export interface CiRun {
  readonly id: number;
  readonly name: string;
  readonly state: CiState;
  readonly said: string;
  readonly url: string;
  readonly jobs: readonly CiJob[];
}

export interface CiHost {
  headOf(branch: string): Promise<string>;
  runsOf(commit: string): Promise<readonly CiRun[]>;
  run(id: number): Promise<CiRun>;
  log(job: number): Promise<string>;
}

const PAGE = 100;
const MOST_PAGES = 10;
/** Longer logs are cut at the end. */
const MOST_LOG_BYTES = 50 << 20;

export const ciHost = (api: HostApi, repo: string): CiHost =>
  api.host.kind === "gitlab" ? new Pipelines(api, repo) : new Actions(api, repo);

/** All items of a paged list; `key` is the path to the list in an answer. */
async function pagesOf(api: HostApi, path: string, ...key: readonly string[]): Promise<readonly JsonValue[]> {
  const items: JsonValue[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const more = itemsAt(await api.json(`${path}?per_page=${PAGE}${page === 1 ? "" : `&page=${page}`}`), ...key);
    items.push(...more);
    if (more.length < PAGE) break;
  }
  return items;
}

class Actions implements CiHost {
  readonly #api: HostApi;
  readonly #base: string;
  readonly #jobs = new Map<string, readonly JsonValue[]>();

  constructor(api: HostApi, repo: string) {
    this.#api = api;
    this.#base = `/repos/${repo}`;
  }

  async headOf(branch: string): Promise<string> {
    const path = `${this.#base}/branches/${branch.split("/").map(encodeURIComponent).join("/")}`;
    return textAt(await this.#api.json(path), "commit", "sha");
  }

  async runsOf(commit: string): Promise<readonly CiRun[]> {
    const found = await this.#api.json(`${this.#base}/actions/runs?head_sha=${commit}&per_page=${PAGE}`);
    return Promise.all(itemsAt(found, "workflow_runs").map((run) => this.#withJobs(run)));
  }

  async run(id: number): Promise<CiRun> {
    return this.#withJobs(await this.#api.json(`${this.#base}/actions/runs/${id}`));
  }

  log(job: number): Promise<string> {
    return this.#api.text(`${this.#base}/actions/jobs/${job}/logs`, { maxBytes: MOST_LOG_BYTES });
  }

  async #withJobs(run: JsonValue): Promise<CiRun> {
    const id = numberAt(run, "id") ?? 0;
    // Jobs of a finished run no longer change, and hosts limit the number of requests.
    const over = textAt(run, "status") === "completed" ? `${id} ${numberAt(run, "run_attempt") ?? 1}` : undefined;
    const known = over === undefined ? undefined : this.#jobs.get(over);
    const jobs = known ?? (await pagesOf(this.#api, `${this.#base}/actions/runs/${id}/jobs`, "jobs"));
    if (over !== undefined) this.#jobs.set(over, jobs);
    return {
      id,
      name: textAt(run, "name") || textAt(run, "display_title"),
      ...actionState(run),
      url: textAt(run, "html_url"),
      jobs: jobs.map((job) => ({
        id: numberAt(job, "id") ?? 0,
        name: textAt(job, "name"),
        ...actionState(job),
      })),
    };
  }
}

function actionState(value: JsonValue): Pick<CiRun, "state" | "said"> {
  const said = textAt(value, "conclusion") || textAt(value, "status");
  if (textAt(value, "status") !== "completed") return { state: "waiting", said: said.replaceAll("_", " ") };
  return {
    state: ["success", "neutral", "skipped"].includes(said) ? "success" : "failure",
    said: said.replaceAll("_", " "),
  };
}

class Pipelines implements CiHost {
  readonly #api: HostApi;
  readonly #base: string;

  constructor(api: HostApi, repo: string) {
    this.#api = api;
    this.#base = gitlabProject(repo);
  }

  async headOf(branch: string): Promise<string> {
    return textAt(
      await this.#api.json(`${this.#base}/repository/branches/${encodeURIComponent(branch)}`),
      "commit",
      "id",
    );
  }

  async runsOf(commit: string): Promise<readonly CiRun[]> {
    const found = await this.#api.json(`${this.#base}/pipelines?per_page=${PAGE}&sha=${escapeQuery(commit)}`);
    return Promise.all(itemsAt(found).map((run) => this.#withJobs(run)));
  }

  async run(id: number): Promise<CiRun> {
    return this.#withJobs(await this.#api.json(`${this.#base}/pipelines/${id}`));
  }

  log(job: number): Promise<string> {
    return this.#api.text(`${this.#base}/jobs/${job}/trace`, { maxBytes: MOST_LOG_BYTES });
  }

  async #withJobs(run: JsonValue): Promise<CiRun> {
    const id = numberAt(run, "id") ?? 0;
    const jobs = await pagesOf(this.#api, `${this.#base}/pipelines/${id}/jobs`);
    return {
      id,
      name: textAt(run, "name") || `pipeline ${id}`,
      ...pipelineState(run),
      url: textAt(run, "web_url"),
      jobs: jobs.map((job) => ({
        id: numberAt(job, "id") ?? 0,
        name: textAt(job, "name"),
        // A job that is allowed to fail does not make its pipeline fail.
        ...pipelineState(job),
      })),
    };
  }
}

function pipelineState(value: JsonValue): Pick<CiRun, "state" | "said"> {
  const said = textAt(value, "status");
  if (["success", "skipped", "manual"].includes(said)) return { state: "success", said };
  if (["failed", "canceled"].includes(said))
    return { state: value !== null && isAllowedToFail(value) ? "success" : "failure", said };
  return { state: "waiting", said };
}

const isAllowedToFail = (value: JsonValue): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && value["allow_failure"] === true;
