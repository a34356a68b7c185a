// Verifies the work of one session: when the model stops after changes, the checks run and the verdict is recorded. A
// failure goes back to the model a few times.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import type { Middleware, Session, SessionEvent } from "@lathe/agent";
import type { SeamContext, Verification } from "@lathe/agent/contract";
import { mayChangeFiles } from "@lathe/agent/files";
import type { CheckRun, VerifyReport } from "@lathe/agent/verify";
import { messageOf } from "@lathe/llm";
import type { SessionRequest } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { verificationLine } from "../../sessions/verdict.ts";
import { type Evidence, evidenceOf, hasVerifiedWork, writeEvidence } from "./evidence.ts";
import { lastAnswer } from "./last-answer.ts";
import oldTests from "./old-tests.md";
import { endJobs, runVerification } from "./run-verification.ts";
import sentBack from "./sent-back.md";
import type { Work, WorkSource } from "./work.ts";

/** Time for everything but the checks, which have their own deadlines. */
const AROUND_MS = 300_000;
/** The most runs of one check: now, with the old tests, and the new tests on the old code, together and one by one. */
const MOST_RUNS = 7;
/** Files may change while the checks run, because a job was just ending: then they run once more. */
const MOST_TRIES = 2;
const MOST_OUTPUT = 8_000;

type StopInfo = Parameters<NonNullable<Middleware["beforeStop"]>>[0];

export class SessionVerification {
  readonly #workspace: SessionWorkspace;
  readonly #request: SessionRequest;
  readonly #checks: NonNullable<SessionRequest["checks"]>;
  #session: Session | undefined;
  #source: Promise<WorkSource> | undefined;
  #opened: WorkSource | undefined;
  /** The verdict about the current input; absent until the model has stopped. */
  #verdict: Verification | undefined;
  /** Whether a call may have changed something since this process last verified. */
  #isStale = false;
  #names = 0;

  constructor(workspace: SessionWorkspace, request: SessionRequest) {
    this.#workspace = workspace;
    this.#request = request;
    this.#checks = request.checks ?? [];
  }

  get commands(): readonly string[] {
    return this.#checks.map(({ command }) => command);
  }

  /** The last verification of the session. */
  get last(): Evidence | undefined {
    return this.#session && evidenceOf(this.#session).at(-1);
  }

  async ready(session: Session): Promise<void> {
    this.#session = session;
    // Work of an earlier process may still have no verdict.
    if (this.#checks.length > 0 && hasVerifiedWork(session.journal)) await this.#load();
  }

  readonly follow = (event: SessionEvent): void => {
    if (event.kind !== "user_input") return;
    this.#verdict = undefined;
    // The work counts as done only now, not with the verdict: a process killed in between must find it again.
    const since = this.#opened?.since;
    if (since === undefined || event.data.origin === "continue") return;
    const { last } = this;
    if (last?.since === since && last.verdict === "verified") this.#opened?.settle();
  };

  get middleware(): Middleware {
    return {
      name: "verification",
      timeoutMs: this.#checks.reduce((sum, { timeoutMs }) => sum + timeoutMs * MOST_RUNS * MOST_TRIES, AROUND_MS),
      beforeCall: async ({ tool, args, tier }, context) => {
        if (tier === "read") return undefined;
        const access = await context.accessOf({ name: tool.name, type: "function", arguments: args });
        if (!mayChangeFiles({ tier, access })) return undefined;
        this.#isStale = true;
        await (await this.#load()).begin();
        return undefined;
      },
      beforeStop: async (info, context) => (context.agentId === undefined ? this.#stop(info, context) : undefined),
      verdictAtEnd: ({ reason, awaiting }, context) =>
        context.agentId === undefined ? this.#verdictAt(reason, awaiting !== undefined) : undefined,
    };
  }

  /** The user accepts the work without proof. */
  accept(who: string): void {
    const { last } = this;
    if (!this.#session || !last || last.verdict !== "unverified")
      throw usageError(
        last?.verdict === "failed"
          ? "A check failed: that cannot be accepted. Let the agent fix it, or change the check."
          : "There is nothing to accept: no work is unverified.",
      );
    const input = this.#session.journal.input?.entryId;
    writeEvidence(this.#session, {
      ...{ ...last, verdict: "verified", reasons: [`Accepted by ${who}.`], acceptedBy: who },
      ...(input === undefined ? {} : { acceptedInput: input }),
    });
    this.#opened?.settle();
  }

  /** Verifies the work. Undefined if the input may end, with the outcome in `#verdict`. */
  async #stop(info: StopInfo, context: SeamContext): Promise<{ continueWith: string } | undefined> {
    this.#verdict = undefined;
    if (this.#opened?.since === undefined) return undefined;
    try {
      return await this.#verifyWork(this.#opened, info, context);
    } catch (error) {
      if (context.signal.aborted) throw error;
      const { cwd } = this.#workspace;
      const why = existsSync(cwd) ? messageOf(error) : `there is no folder ${cwd} any more.`;
      this.#verdict = { verdict: "unverified", reasons: [`The checks could not be run: ${why}`] };
      return undefined;
    }
  }

  async #verifyWork(
    source: WorkSource,
    { text }: StopInfo,
    context: SeamContext,
  ): Promise<{ continueWith: string } | undefined> {
    const session = this.#session!;
    const since = source.since!;
    await endJobs(session, this.#workspace.machine.deps.setTimer);
    const own = evidenceOf(session).filter((one) => one.since === since && one.acceptedBy === undefined);
    // The verification of this very answer was interrupted before the model got the result.
    const answerId = lastAnswer(session);
    const isCut = own.at(-1)?.sentBack === true && own.at(-1)?.answerId === answerId;
    const earlier = isCut ? own.slice(0, -1) : own;
    let work = await source.readWork();
    const known = own.at(-1);
    if (work && known && !isCut && !this.#isStale && known.tree === digest(work.tree)) {
      this.#verdict = { verdict: known.verdict, reasons: known.reasons };
      return undefined;
    }
    if (work?.changes.length === 0 && work.doubts.length === 0) {
      source.settle();
      return undefined;
    }
    let report: VerifyReport | undefined;
    let verified = work;
    for (let tries = 1; work; tries++) {
      report = await runVerification(
        { workspace: this.#workspace, session },
        {
          source,
          work,
          checks: this.#checks,
          name: `verify-${++this.#names}`,
          runsUnchanged: true,
          signal: context.signal,
        },
      );
      verified = work;
      work = await source.readWork();
      if (!work || work.tree === verified.tree || report.verdict === "failed") break;
      if (report.ranIn === "project") {
        report = {
          ...report,
          reasons: [...report.reasons, `The checks ran in the project and changed ${changedBy(verified, work)}.`],
        };
        break;
      }
      if (tries === MOST_TRIES) {
        report = { ...report, verdict: "unverified", reasons: ["Files were changed while the checks ran."] };
        break;
      }
    }
    if (!report || !verified) return undefined;
    return this.#conclude(report, verified, { since, answer: text, answerId, earlier });
  }

  /** Records the result, and decides whether the model continues. */
  #conclude(
    report: VerifyReport,
    { tree, doubts }: Work,
    {
      since,
      answer,
      answerId,
      earlier,
    }: {
      readonly since: number;
      readonly answer: string;
      readonly answerId: string | undefined;
      readonly earlier: readonly Evidence[];
    },
  ): { continueWith: string } | undefined {
    const isDoubted = (report.verdict === "verified" || report.verdict === "none") && doubts.length > 0;
    const verdict = isDoubted ? "unverified" : report.verdict;
    const reasons = [...(isDoubted ? doubts : []), ...report.reasons];
    const rounds = earlier.filter((one) => one.sentBack).length;
    const wasTold = earlier.some((one) => one.sentBack && one.verdict === "unverified");
    const isFixable = verdict === "failed" || (verdict === "unverified" && report.named.length > 0 && !wasTold);
    const isSentBack = isFixable && rounds < this.#workspace.settings["verify.rounds"];
    const { covered, uncovered, named, ranIn } = report;
    writeEvidence(this.#session!, {
      verdict,
      reasons,
      since,
      tree: digest(tree),
      answer: digest(answer),
      ...(answerId === undefined ? {} : { answerId }),
      checks: report.runs.map(({ command, of, exitCode, outputDigest, durationMs }) => ({
        ...{ command, of, exitCode, outputDigest, durationMs: Math.round(durationMs) },
      })),
      ...{ covered, uncovered, named },
      ...(ranIn === undefined ? {} : { ranIn }),
      sentBack: isSentBack,
    });
    this.#isStale = false;
    if (isSentBack) {
      const round = `${rounds + 1} of ${this.#workspace.settings["verify.rounds"]}`;
      this.#session!.warn(
        `${verificationLine({ verdict, reasons })} Sent back to the agent (${round}).`,
        "verification",
      );
      return { continueWith: textForModel(report, reasons) };
    }
    this.#verdict = { verdict, reasons };
    return undefined;
  }

  #verdictAt(reason: string, isAwaiting: boolean): Verification {
    if (this.#opened?.since === undefined && !this.#verdict) return { verdict: "none", reasons: [] };
    if (reason === "completed" && !isAwaiting && this.#verdict) return this.#verdict;
    const why = isAwaiting ? "the agent asked a question" : (CUT[reason] ?? "the checks did not end in time");
    return { verdict: "unverified", reasons: [`The work ended before it was verified: ${why}.`] };
  }

  #load(): Promise<WorkSource> {
    this.#source ??= import("./work.ts").then(({ copyWork, projectWork }) => {
      const { view, machine } = this.#workspace;
      this.#opened = view
        ? copyWork(view, machine.deps.now)
        : projectWork(this.#workspace, this.#request, () => this.#session!.env);
      return this.#opened;
    });
    return this.#source;
  }
}

/** Reasons why an input ended without a verdict. */
const CUT: Readonly<Record<string, string>> = {
  interrupted: "it was interrupted",
  aborted: "it was interrupted",
  error: "it failed",
  context_overflow: "the conversation became too long",
  budget: "a limit was reached",
  turn_limit: "a limit was reached",
  round_limit: "a limit was reached",
};

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

function changedBy(before: Work, after: Work): string {
  const known = new Map(before.changes.map((change) => [change.path, JSON.stringify(change.after)]));
  const paths = after.changes.filter(({ path, after: now }) => known.get(path) !== JSON.stringify(now));
  return paths.map(({ path }) => path).join(", ");
}

function textForModel({ runs, named }: VerifyReport, reasons: readonly string[]): string {
  const failed = runs.findLast(({ passed }: CheckRun) => !passed);
  const output = failed ? [`$ ${failed.command}`, tail(failed.output), `[exit code ${failed.exitCode}]`] : [];
  return [sentBack.trim(), reasons.join("\n"), output.join("\n"), ...(named.length > 0 ? [oldTests.trim()] : [])]
    .filter((part) => part !== "")
    .join("\n\n");
}

const tail = (output: string): string =>
  output.length > MOST_OUTPUT ? `…${output.slice(-MOST_OUTPUT)}` : output.trimEnd();
