// github: repositories, pull requests, searches and CI of git hosts. The product owns the connections; this tool is the
// interface for the model.

import type { JsonObject } from "@lathe/llm";
import type { Card, CardResult } from "../../../contract/card.ts";
import {
  type Access,
  type CallScope,
  type Preview,
  type PreviewLine,
  type ToolContext,
  type ToolDef,
  ToolFailure,
  type ToolResult,
} from "../../../contract/tool.ts";
import { tail, verbOf } from "../card.ts";
import description from "./description.md";
import { type GithubArgs, schema } from "./params.ts";

/** What a call would reach and change. */
export interface GithubReach {
  /** The host that the call sends its requests to. */
  readonly host: string;
  /** True if the user chose the host, by a token or by a remote of the working folder. */
  readonly isChosen: boolean;
  /** The page of whatever the call creates or changes there. */
  readonly writes?: string | undefined;
  /** Folders that the call creates and that become folders of the session, as real paths. */
  readonly folders?: readonly string[] | undefined;
}

/** The git hosts of a session. Fails with ToolFailure if something cannot be done. */
export interface GitHosts {
  reach(args: GithubArgs, scope: CallScope): Promise<GithubReach>;
  run(args: GithubArgs, context: ToolContext): Promise<ToolResult>;
}

declare module "../../../contract/tool.ts" {
  interface ToolServices {
    /** Absent if there is no token for any host. */
    readonly gitHosts?: GitHosts;
  }
}

const WRITES = new Set<GithubArgs["op"]>(["pr_create", "pr_push"]);

export const githubTool: ToolDef<GithubArgs> = {
  name: "github",
  label: "Git host",
  description: description.trim(),
  schema,
  tier: ({ op }) => (op === "pr_checkout" ? "write" : "network"),
  replay: "never",
  needs: ["gitHosts"],
  toGetIt: "It needs the token of a git host: sign in with gh auth login, or set GITHUB_TOKEN or GITLAB_TOKEN.",
  loadMode: "discoverable",
  // Requests have their own deadlines, and waiting for CI takes as long as CI does.
  timeoutMs: 0,
  output: { chars: 30_000, mode: "head" },
  access,
  summary,
  card,
  preview,
  execute: (args, context) => hostsOf(context).run(args, context),
};

async function access(args: GithubArgs, scope: CallScope): Promise<readonly Access[]> {
  const { host, isChosen, writes, folders = [] } = await hostsOf(scope).reach(args, scope);
  return [
    { kind: "network", host, ...(isChosen ? { chosen: true } : {}) },
    ...(writes === undefined ? [] : [{ kind: "address" as const, url: writes, write: true }]),
    ...folders.map((path) => ({ kind: "write" as const, path })),
  ];
}

function hostsOf({ services }: Pick<CallScope, "services">): GitHosts {
  if (!services.gitHosts) throw new ToolFailure("There is no git host here.");
  return services.gitHosts;
}

async function preview(args: GithubArgs, scope: CallScope): Promise<Preview> {
  const { writes, folders = [] } = await hostsOf(scope).reach(args, scope);
  const note = (text: string): PreviewLine => ({ text, kind: "note" });
  if (args.op === "pr_create")
    return {
      lines: [
        note(`creates a ${args.draft ? "draft " : ""}pull request: ${writes}`),
        { text: args.title ?? "(title and description from the commits)", kind: "heading" },
        ...(args.body ?? "").split("\n").flatMap((text) => (text === "" ? [] : [{ text: `│ ${text}` }])),
      ],
      shows: ["op", "title", "body", "draft", "fill"],
    };
  if (args.op === "pr_push") {
    const how = args.forceWithLease ? "replaces the commits of" : "adds your commits to";
    return { lines: [note(`${how} ${writes}`)], shows: ["op", "branch", "forceWithLease"] };
  }
  if (args.op === "pr_checkout")
    return {
      lines: [
        note("checks out pull requests here, and lets the agent write there:"),
        ...folders.map((text) => ({ text })),
      ],
      shows: ["op", "pr"],
    };
  return { lines: [note(summary(args))], shows: ["op"] };
}

const VERBS: Readonly<Record<string, [string, string, string]>> = {
  search: ["Searching", "Searched", "Search"],
  repo_view: ["Looking at", "Looked at", "Look at"],
  pr_create: ["Creating", "Created", "Create"],
  pr_checkout: ["Checking out", "Checked out", "Check out"],
  pr_push: ["Pushing", "Pushed", "Push"],
  run_watch: ["Watching", "Watched", "Watch"],
};

function summary({ op, repo, branch, pr, title, query, run }: GithubArgs): string {
  const at = repo === undefined ? "" : ` in ${repo}`;
  const pulls = pr === undefined ? "the pull request of this branch" : `pull request ${[pr].flat().join(", ")}`;
  switch (op) {
    case "pr_create":
      return `pull request${title === undefined ? "" : ` "${title}"`}${at}`;
    case "pr_checkout":
      return `${pulls}${at}`;
    case "pr_push":
      return `${branch ?? "this branch"} to its pull request`;
    case "run_watch":
      return `CI ${run === undefined ? `of ${branch ?? "this branch"}` : `run ${run}`}${at}`;
    case "repo_view":
      return repo ?? "this repository";
    default:
      return `${String(op).replace("search_", "")}${query ? ` for ${query}` : ""}${at}`;
  }
}

function card(args: GithubArgs, result?: CardResult): Card {
  const [kind = ""] = args.op.split("_");
  const isWatch = args.op === "run_watch";
  return {
    verb: verbOf(VERBS[args.op] ?? VERBS[kind] ?? ["Asking", "Asked", "Ask"], result),
    subject: summary(args),
    outcome: result && outcomeOf(result.details),
    failed: result?.details["conclusion"] === "failure" ? true : undefined,
    canDetach: isWatch && result === undefined ? true : undefined,
    body: result && result.text !== "" && (isWatch || WRITES.has(args.op)) ? tail(result.text) : undefined,
  };
}

function outcomeOf({ outcome }: JsonObject): string | undefined {
  return typeof outcome === "string" ? outcome : undefined;
}
