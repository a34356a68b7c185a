// A review: one child agent per lens reports findings in parallel, their quotes are checked against the reviewed files,
// and a critic has to confirm what is left.

import type { AgentType, Session } from "@lathe/agent";
import type { AgentReport, BatchTask } from "@lathe/agent/contract";
import type { Usage } from "@lathe/llm";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { Permissions } from "../../found/permissions/permissions.ts";
import reviewerContext from "./context.md";
import { applyVerdicts, criticTasks, VERDICTS } from "./critic.ts";
import criticContext from "./critic-context.md";
import { checkFindings } from "./findings.ts";
import { type Git, withGit } from "./git.ts";
import { LENSES } from "./lenses.ts";
import { openPlace, type ReviewPlace } from "./place.ts";
import { reviewedFiles } from "./reviewed-files.ts";
import { roomFor, sharedContext } from "./shared-context.ts";
import type { Change, LensOutcome, Review } from "./types.ts";

export interface ReviewParts {
  readonly workspace: Workspace;
  readonly session: Session;
  readonly permissions: Permissions;
  /** Prints one line of progress. */
  readonly tell: (line: string) => void;
}

/** Undefined if it was interrupted. */
export function review(parts: ReviewParts, change: Change): Promise<Review | undefined> {
  return parts.session.maintain((signal) =>
    withGit(parts.workspace, change.top, (git) => new Reviewing(parts, change, git, signal).run()),
  );
}

class Reviewing {
  readonly #parts: ReviewParts;
  readonly #change: Change;
  readonly #git: Git;
  readonly #signal: AbortSignal;
  readonly #callId: string;

  constructor(parts: ReviewParts, change: Change, git: Git, signal: AbortSignal) {
    this.#parts = parts;
    this.#change = change;
    this.#git = git;
    this.#signal = signal;
    this.#callId = `review-${parts.workspace.machine.deps.uuid().slice(0, 8)}`;
  }

  async run(): Promise<Review> {
    const { workspace, session, permissions } = this.#parts;
    const change = this.#change;
    const before = session.usage;
    const place = await openPlace(
      { workspace, permissions, env: session.env, git: this.#git, id: this.#callId, signal: this.#signal },
      change,
    );
    try {
      const reviewed = await this.#lenses(place);
      const found = reviewed.map(({ outcome, report }) => ({ lens: outcome.name, reported: report?.findings ?? [] }));
      const checked = await checkFindings(found, change.top, reviewedFiles(this.#git, change));
      const critics = criticTasks(checked.findings);
      const verdicts = critics.length === 0 ? [] : await this.#critics(place, critics);
      const { confirmed, dropped } = applyVerdicts(
        checked.findings,
        verdicts.map(({ report }) => report?.output),
      );
      const { usage, cost } = session.usage;
      return {
        change,
        view: place.kind,
        findings: confirmed,
        dropped: [...checked.dropped, ...dropped],
        lenses: [...reviewed, ...verdicts].map(({ outcome }) => outcome),
        usage: spentSince(usage, before.usage),
        cost: cost - before.cost,
      };
    } finally {
      await place.close();
    }
  }

  #lenses(place: ReviewPlace): Promise<readonly Ended[]> {
    const tasks = LENSES.map(({ name, assignment }) => ({ id: name, description: `review: ${name}`, assignment }));
    return this.#batch(place, { agent: "reviewer", template: reviewerContext, tasks, narrow: (type) => type });
  }

  #critics(place: ReviewPlace, tasks: readonly NamedTask[]): Promise<readonly Ended[]> {
    const narrow = (type: AgentType): AgentType => ({ ...type, output: VERDICTS });
    return this.#batch(place, { agent: "critic", template: criticContext, tasks, narrow: narrow });
  }

  /** The outcome of each task, in their order. */
  async #batch(place: ReviewPlace, { agent, template, tasks, narrow: narrowed }: BatchWish): Promise<readonly Ended[]> {
    const { session, tell } = this.#parts;
    const room = roomFor(session.profile.contextWindowSize);
    const { started, failed } = await session.subagents.spawnForHost({
      callId: this.#callId,
      agent,
      tasks,
      context: sharedContext(template, this.#change, room, place.isAsReviewed),
      env: place.env,
      narrow: (type) => place.narrow(narrowed(type)),
    });
    const refused = [...failed];
    const ends = tasks.map(async ({ id, description }): Promise<Ended> => {
      const child = started.find((one) => one.description === description);
      const ended = child
        ? endOf(id, await session.subagents.wait(child.agentId, this.#signal))
        : { outcome: failure(id, refused.shift()?.why ?? "It did not start.") };
      tell(outcomeLine(ended.outcome));
      return ended;
    });
    await Promise.allSettled(ends);
    // When interrupted, wait until all agents have ended before anything is closed.
    if (this.#signal.aborted) await Promise.all(started.map(({ agentId }) => session.subagents.close(agentId)));
    this.#signal.throwIfAborted();
    return Promise.all(ends);
  }
}

type NamedTask = BatchTask & { readonly id: string; readonly description: string };

interface BatchWish {
  readonly agent: string;
  readonly template: string;
  readonly tasks: readonly NamedTask[];
  readonly narrow: (type: AgentType) => AgentType;
}

interface Ended {
  readonly outcome: LensOutcome;
  /** The agent's report, if it made one. */
  readonly report?: AgentReport;
}

function endOf(name: string, report: AgentReport): Ended {
  const { status, output, findings = [], hasNotYielded = false } = report;
  // Without a verdict the answer may be anything, but reported findings are checked like any others.
  if (hasNotYielded) return { outcome: { ...failure(name, NO_VERDICT), findings: findings.length }, report };
  if (status !== "completed") return { outcome: failure(name, output) };
  return { outcome: { name, status, findings: findings.length }, report };
}

const NO_VERDICT = "it ended without a verdict";

/** The loop's reasons in plain words. */
const REASONS: Readonly<Record<string, string>> = {
  budget: "its share of the budget is used up",
  turn_limit: "its share of the turns is used up",
  round_limit: "it made too many rounds",
  context_overflow: "the change does not fit the model's context",
};
const OUT_OF_BUDGET = /^(?:budget|turn_limit)$|no budget left/;

function failure(name: string, output: string): LensOutcome {
  const [first = ""] = output.trim().split("\n", 1);
  return {
    name,
    status: "failed",
    findings: 0,
    why: REASONS[first] ?? first,
    ...(OUT_OF_BUDGET.test(first) ? { isOutOfBudget: true } : {}),
  };
}

function outcomeLine({ name, status, findings, why }: LensOutcome): string {
  if (status === "failed") return `${name} failed: ${why}`;
  if (name.startsWith("critic")) return `${name}: done`;
  return `${name}: ${findings === 1 ? "1 finding" : `${findings} findings`}`;
}

function spentSince(now: Usage, before: Usage): Usage {
  const since = (key: keyof Usage): number =>
    ((now[key] as number | undefined) ?? 0) - ((before[key] as number | undefined) ?? 0);
  return {
    inputTokens: since("inputTokens"),
    outputTokens: since("outputTokens"),
    totalTokens: since("totalTokens"),
    cacheReadTokens: since("cacheReadTokens"),
    cacheWriteTokens: since("cacheWriteTokens"),
  };
}
