// The workflows that are built in, by name.

import { deepInterview } from "./deep-interview/definition.ts";
import { ralplan } from "./ralplan/definition.ts";
import { ultragoal } from "./ultragoal/definition.ts";
import { hasEnded, STOPPED, type WorkflowDefinition, type WorkflowState } from "./workflow.ts";

export const WORKFLOWS: Readonly<Record<string, WorkflowDefinition>> = {
  [deepInterview.name]: deepInterview,
  [ralplan.name]: ralplan,
  [ultragoal.name]: ultragoal,
};

/** Whether the workflow is over. One that this version of Lathe does not know may still continue elsewhere. */
export function isOver(state: WorkflowState): boolean {
  const definition = Object.hasOwn(WORKFLOWS, state.workflow) ? WORKFLOWS[state.workflow] : undefined;
  return definition ? hasEnded(state, definition) : state.state === STOPPED;
}
