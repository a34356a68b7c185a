// Judges a goal's commands like checks: in a view of the current files, with the tests and programs from when the goal
// began.

import { createHash } from "node:crypto";
import type { Session } from "@lathe/agent";
import type { CheckRun } from "@lathe/agent/verify";
import type { SessionRequest } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { endJobs, runVerification } from "../verify/run-verification.ts";
import { copyWork, projectWork, type WorkSource } from "../verify/work.ts";
import type { GoalJudge, Judgement } from "./judge.ts";

const MOST_OUTPUT = 8_000;

export class VerifyingJudge implements GoalJudge {
  readonly #workspace: SessionWorkspace;
  readonly #session: Session;
  readonly #source: WorkSource;
  #names = 0;

  constructor(workspace: SessionWorkspace, request: Pick<SessionRequest, "opened">, session: Session) {
    this.#workspace = workspace;
    this.#session = session;
    const { view, machine } = workspace;
    this.#source = view
      ? copyWork(view, machine.deps.now)
      : projectWork(workspace, request, () => session.env, "goal_base");
  }

  async begin({ isNew }: { readonly isNew: boolean }): Promise<void> {
    if (isNew) this.#source.settle();
    await this.#source.begin();
  }

  async judge(command: string, signal: AbortSignal): Promise<Judgement> {
    const workspace = this.#workspace;
    await endJobs(this.#session, workspace.machine.deps.setTimer);
    await this.#source.begin();
    const work = await this.#source.readWork();
    if (!work) throw new Error("The project's files cannot be read.");
    const check = { command, timeoutMs: workspace.settings["verify.timeoutMs"], source: "goal" };
    const report = await runVerification(
      { workspace, session: this.#session },
      { source: this.#source, work, checks: [check], name: `goal-${++this.#names}`, runsUnchanged: true, signal },
    );
    const tree = digest(work.tree);
    const now = report.runs.find(({ of }) => of === "now");
    const doubts = report.verdict === "verified" ? work.doubts : [];
    if (report.verdict === "verified" && now && doubts.length === 0)
      return { isProven: true, evidence: { command, exitCode: now.exitCode, outputDigest: now.outputDigest, tree } };
    const failed = report.runs.findLast(({ passed }: CheckRun) => !passed);
    return { isProven: false, tree, reasons: [...doubts, ...report.reasons], output: tail(failed?.output ?? "") };
  }
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

const tail = (output: string): string =>
  output.length > MOST_OUTPUT ? `…${output.slice(-MOST_OUTPUT)}` : output.trimEnd();
