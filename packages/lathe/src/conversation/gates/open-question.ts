// The question that a workflow has left open when no input asks it any more: after an Esc, an end of the process, or a run without a person.

import { usageError } from "../../platform/usage/exit.ts";
import { printableLine, shorten } from "../../sessions/list.ts";
import type { OpenSession } from "../session-contract.ts";

const TITLE_LENGTH = 200;

type WithGates = Pick<OpenSession, "session" | "gates">;

/** What a person is told of a question that is out of sight. */
export const staysOpen = (question: string): string =>
  `The question stays open: ${question}\nYour next message is its answer. /workflow shows all of it, /workflow stop ends the workflow.`;

/** Whether a question waits that nothing asks: an input that an earlier process left unfinished asks its own. */
export const isLeftOpen = ({ session, gates }: WithGates): boolean =>
  !session.hasUnfinishedInput && gates.open !== undefined;

/**
 * Asks it in the place of an input, before anything is sent to the model. True: its answer is on the disk, and the work can go on. False:
 * nobody answered, or the workflow was ended.
 */
export async function askLeftOpen({ session, gates }: WithGates): Promise<boolean> {
  const gate = gates.open;
  const dialog = gate && (await gates.dialog());
  if (!dialog) return false;
  const answer = await session.maintain((signal) => gates.ask(gate, dialog, signal));
  if (session.state !== "closed" && gates.isOpen(gate))
    session.warn(staysOpen(dialog.question.question), "workflow_gate");
  return answer?.status === "accepted";
}

/** Throws for a command that would be sent as the answer to it. */
export function refuseAsAnswer(command: string, { session, gates }: WithGates): void {
  // While the agent works, the question is asked elsewhere, and what is sent is steering.
  const gate = session.state === "processing" ? undefined : gates.open;
  if (!gate) return;
  const title = shorten(printableLine(gate.context.title), TITLE_LENGTH);
  throw usageError(
    `/${command} is no answer to the open question: ${title} Answer it in words first, or end the workflow with /workflow stop.`,
  );
}
