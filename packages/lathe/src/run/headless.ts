// A run without a person: all prompts, the answer checked against a schema when one was asked for, one result at the end that is
// kept in the journal of a named run.

import type { InputContent } from "@lathe/agent";
import type { JsonSchema, JsonValue } from "@lathe/llm";
import { EXIT } from "../cli/exit.ts";
import type { OpenSession } from "./open-session.ts";
import { outcomeOf, type RunOutcome } from "./outcome.ts";
import { askAgain, type Judged, judge, MOST_RETRIES, withSchema } from "./output-schema.ts";
import { type RunResult, resultOf } from "./result.ts";
import { RESULT_ENTRY } from "./run-id.ts";
import { type EventListener, RunDriver } from "./run-prompts.ts";

export interface HeadlessRun {
  readonly open: OpenSession;
  readonly prompts: readonly InputContent[];
  readonly schema?: JsonSchema;
  /** Goes on with an input that an earlier process left undone, before the prompts. */
  readonly continueFirst?: boolean;
  /** The result is kept for whoever asks for the same run again. */
  readonly keepResult?: boolean;
}

export async function runHeadless(run: HeadlessRun, onEvent: EventListener): Promise<RunResult> {
  const { session, permissions, journal } = run.open;
  const driver = new RunDriver(session, permissions, onEvent);
  let good = run.continueFirst && session.wasCut ? await driver.continue() : true;
  const prompts = run.schema ? lastWithSchema(run.prompts, run.schema) : run.prompts;
  for (const prompt of prompts) {
    if (!good) break;
    good = await driver.submit(prompt);
  }
  const judged = good && run.schema ? await untilItFits(driver, run.schema) : undefined;
  const report = driver.report();
  const outcome = withJudgement(outcomeOf(report), judged);
  const output: JsonValue | undefined = judged && "value" in judged ? judged.value : undefined;
  const result = resultOf(
    outcome,
    { ...report, ...(output === undefined ? {} : { output }) },
    journal.path ? session.id : null,
  );
  // An interrupted run is not finished: asked for again, it goes on.
  if (run.keepResult && outcome.exitCode !== EXIT.interrupted)
    session.appendCustom(RESULT_ENTRY, result as unknown as JsonValue);
  return result;
}

function lastWithSchema(prompts: readonly InputContent[], schema: JsonSchema): readonly InputContent[] {
  return prompts.map((prompt, i) => (i === prompts.length - 1 ? withSchema(prompt, schema) : prompt));
}

async function untilItFits(driver: RunDriver, schema: JsonSchema): Promise<Judged> {
  for (let attempt = 0; ; attempt++) {
    const judged = await judge(driver.report().text, schema);
    if ("value" in judged || attempt === MOST_RETRIES) return judged;
    if (!(await driver.submit(askAgain(judged.problem)))) return judged;
  }
}

function withJudgement(outcome: RunOutcome, judged: Judged | undefined): RunOutcome {
  if (outcome.exitCode !== EXIT.done || !judged || "value" in judged) return outcome;
  return { status: "failed", exitCode: EXIT.failed, message: `The answer does not fit the schema: ${judged.problem}.` };
}
