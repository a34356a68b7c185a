// Keeps a team from changing files while its leader runs an interview: nothing changes before the specification is
// accepted.

import type { Session } from "@lathe/agent";
import { deepInterview } from "../../additions/workflows/deep-interview/definition.ts";
import { isOver, WORKFLOWS } from "../../additions/workflows/definitions.ts";
import { readWorkflow, WORKFLOW_FACT } from "../../additions/workflows/workflow.ts";
import { usageError } from "../../platform/usage/exit.ts";

/** Throws the message to show. Workers may not do what the leader's own model may not do. */
export function checkChangesAllowed({ facts }: Session): void {
  const workflow = readWorkflow(facts.read(WORKFLOW_FACT), WORKFLOWS);
  if (workflow?.workflow === deepInterview.name && !isOver(workflow))
    throw usageError(
      `The workflow ${workflow.workflow} allows no changes before its specification is accepted. Finish it, or end it with /workflow stop.`,
    );
}
