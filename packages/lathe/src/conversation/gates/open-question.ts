// An open question of a workflow that no input asks any more: after Esc, a killed process, or a run without a user.

import { usageError } from "../../platform/usage/exit.ts";
import { printableLine, shorten } from "../../sessions/list.ts";
import type { OpenSession } from "../session-contract.ts";

const TITLE_LENGTH = 200;

type WithGates = Pick<OpenSession, "session" | "gates">;

/** Tells the user that a question is still open. */
export const staysOpenText = (question: string): string =>
  `The question stays open: ${question}\nYour next message is its answer. /workflow shows all of it, /workflow stop ends the workflow.`;

/** Whether a question is open that nothing asks: an input that an earlier process left unfinished asks its own. */
export const isLeftOpen = ({ session, gates }: WithGates): boolean =>
  !session.hasUnfinishedInput && gates.open !== undefined;

/**
 * Asks the open question in place of an input, before anything is sent to the model. True: the answer is on disk, and
 * the work can continue. False: there was no answer, or the workflow was stopped.
 */
export async function askLeftOpen({ session, gates }: WithGates): Promise<boolean> {
  const gate = gates.open;
  const dialog = gate && (await gates.dialog());
  if (!dialog) return false;
  const answer = await session.maintain((signal) => gates.ask(gate, dialog, signal));
  if (session.state !== "closed" && gates.isOpen(gate))
    session.warn(staysOpenText(dialog.question.question), "workflow_gate");
  return answer?.status === "accepted";
}

/** Throws for a command that would be sent as the answer to the open question. */
export function refuseAsAnswer(command: string, { session, gates }: WithGates): void {
  // While the agent works, the question is asked in a dialog, and input is steering.
  const gate = session.state === "processing" ? undefined : gates.open;
  if (!gate) return;
  const title = shorten(printableLine(gate.context.title), TITLE_LENGTH);
  throw usageError(
    `/${command} is no answer to the open question: ${title} Answer it in words first, or end the workflow with /workflow stop.`,
  );
}
