// Questions of sessions and their answers. Both go through the session's door, where the first valid answer counts.

import { isJsonObject } from "@lathe/llm";
import type { Dialog, DialogAnswer } from "../door/door.ts";
import type { LocalDoor } from "../local/local-door.ts";
import { CoordinatorRefusal } from "./contract.ts";
import { COORDINATOR } from "./coordinator.ts";
import type { Reader } from "./reading.ts";
import type { SessionFacts } from "./state.ts";

export interface GivenAnswer {
  readonly sessionId: string;
  readonly questionId: string;
  readonly answer: unknown;
}

export async function questionsOf({ coordinator, keepers }: Reader, session: SessionFacts): Promise<readonly object[]> {
  const door = await keepers.door(session.sessionId);
  if (!door) return [];
  const turn = coordinator.journal.state.active.get(session.sessionId) ?? null;
  const ids = { session_id: session.sessionId, turn_id: turn };
  const { workflow } = await door.command(COORDINATOR, "get_state", {});
  const gates = workflow?.gate
    ? [{ question_id: workflow.gate.gate_id, ...ids, kind: "gate", gate: workflow.gate }]
    : [];
  return [...gates, ...door.questions.map((dialog) => ({ question_id: dialog.id, ...ids, ...questionRow(dialog) }))];
}

/** The question as the door has it, plus the form of a valid answer. */
function questionRow({ id: _id, ...dialog }: Dialog): object {
  const { method } = dialog;
  const takes =
    method === "confirm" ? "true or false" : "multi" in dialog && dialog.multi === true ? "a list of texts" : "a text";
  return { kind: method, answer: takes, question: dialog };
}

export async function answerQuestion(reader: Reader, given: GivenAnswer): Promise<object> {
  const { sessionId, questionId, answer } = given;
  const owner = reader.coordinator.journal.state.questions.get(questionId)?.sessionId;
  if (owner !== undefined && owner !== sessionId)
    throw new CoordinatorRefusal("wrong_owner", "This question belongs to another session.");
  const door = await reader.keepers.door(sessionId);
  if (!door)
    throw new CoordinatorRefusal(
      "session_gone",
      "The process of this session has ended. Restart it with start_session.",
    );
  if (questionId.startsWith("wg_")) return answerGate(door, questionId, answer);
  const dialog = door.questions.find(({ id }) => id === questionId);
  if (!dialog && owner === undefined)
    throw new CoordinatorRefusal("unknown_question", "This session has no such question. See list_questions.");
  const outcome = await door.answer(COORDINATOR, questionId, answerFor(dialog, answer));
  if (outcome.status === "unknown")
    throw new CoordinatorRefusal("unknown_question", "This session no longer has this question.");
  if (outcome.status === "accepted") return { status: "accepted" };
  const { by } = outcome;
  return {
    status: "settled",
    by,
    used: false,
    message: `The question was settled before, by ${by}. This answer was not used.`,
  };
}

async function answerGate(door: LocalDoor, gateId: string, answer: unknown): Promise<object> {
  const reply = await door.command(COORDINATOR, "workflow_gate_response", { gate_id: gateId, answer });
  if (reply.status === "accepted") return { status: "accepted" };
  throw new CoordinatorRefusal("invalid_answer", "The answer does not fit the schema of the gate.", {
    errors: reply.error.errors,
  });
}

/** Only converts the answer; the door checks it. */
function answerFor(dialog: Dialog | undefined, answer: unknown): DialogAnswer {
  if (typeof answer === "boolean" && (dialog?.method ?? "confirm") === "confirm") return { confirmed: answer };
  const words =
    isJsonObject(answer) && answer["cancelled"] !== true && answer["confirmed"] === undefined
      ? answer["value"]
      : answer;
  if (typeof words === "string" && words.trim() === "")
    throw new CoordinatorRefusal("invalid_answer", "The answer is empty.");
  if (typeof answer === "string") return { value: answer };
  if (Array.isArray(answer) && answer.every((one) => typeof one === "string")) return { value: answer };
  if (isJsonObject(answer)) {
    const { value, confirmed, cancelled, remember } = answer;
    return {
      ...(typeof value === "string" ? { value } : {}),
      ...(typeof confirmed === "boolean" ? { confirmed } : {}),
      ...(cancelled === true ? { cancelled } : {}),
      ...(remember === "pattern" || remember === "tool" ? { remember } : {}),
    };
  }
  throw new CoordinatorRefusal(
    "invalid_answer",
    "An answer is a text, a list of texts, true or false, as the question says.",
  );
}
