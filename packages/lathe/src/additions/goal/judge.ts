// What a goal needs from verification: whether a command honestly passes on the current files.

import type { GoalEvidence } from "./goal.ts";

/** The outcome of running a goal's command. */
export type Judgement =
  | { readonly isProven: true; readonly evidence: GoalEvidence }
  | {
      readonly isProven: false;
      /** The list of files that it ran on, as a blob. */
      readonly tree: string;
      /** One sentence each. */
      readonly reasons: readonly string[];
      /** The command's output, cut to a useful length. */
      readonly output: string;
    };

export interface GoalJudge {
  /** Starts the work on a goal: tests that change from now on are restored before a command counts. */
  begin(how: { readonly isNew: boolean }): Promise<void>;
  /** Runs the command, after jobs that may still change files have ended. Throws when aborted. */
  judge(command: string, signal: AbortSignal): Promise<Judgement>;
}
