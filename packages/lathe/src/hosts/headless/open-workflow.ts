// The workflow that a run leaves unfinished, for its last line and exit code.

import { isOver } from "../../additions/workflows/definitions.ts";
import { WORKFLOW_FACT, type WorkflowState } from "../../additions/workflows/workflow.ts";
import type { OpenSession } from "../../conversation/session-contract.ts";
import { shorten } from "../../sessions/list.ts";
import type { RunFacts } from "./outcome.ts";

/** The last line shortens the question; the run's text has all of it. */
const QUESTION_LENGTH = 200;

/** Empty if the session is in no workflow, or its workflow has ended. */
export function openWorkflow({ session, gates }: Pick<OpenSession, "session" | "gates">): Pick<RunFacts, "workflow"> {
  const fact = session.facts.read(WORKFLOW_FACT) as unknown as WorkflowState | undefined;
  if (fact === undefined || isOver(fact)) return {};
  const title = gates.open?.context.title;
  const question = title === undefined ? {} : { question: shorten(title.replace(/\s+/g, " "), QUESTION_LENGTH) };
  return { workflow: { name: fact.workflow, state: fact.state, ...question } };
}
