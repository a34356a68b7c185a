// What a goal asks of verification: whether a command passes on the files as they are, honestly.

import type { GoalEvidence } from "./goal.ts";

/** What became of a run of a goal's command. */
export type Judgement =
  | { readonly isProven: true; readonly evidence: GoalEvidence }
  | {
      readonly isProven: false;
      /** The list of files that it ran on: a blob. */
      readonly tree: string;
      /** One sentence each. */
      readonly reasons: readonly string[];
      /** What the command printed, cut to what a model can use. */
      readonly output: string;
    };

export interface GoalJudge {
  /** The work on a goal begins: tests that are changed from now on are put back before a command counts. */
  begin(how: { readonly isNew: boolean }): Promise<void>;
  /** Waits for jobs that may still change files. Throws when it is stopped. */
  judge(command: string, signal: AbortSignal): Promise<Judgement>;
}
