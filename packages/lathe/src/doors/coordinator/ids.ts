// Checks ids from outside before anything else happens with them, above all before a path is built from them.

import { createHash } from "node:crypto";
import { isSessionName } from "../tmux/profile.ts";
import { CoordinatorRefusal } from "./contract.ts";

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const TURN = new RegExp(`^turn-${UUID}$`);
const QUESTION = /^[A-Za-z0-9][A-Za-z0-9_-]{0,159}$/;

function checkId(what: string, value: string, isSafe: boolean): string {
  if (isSafe) return value;
  throw new CoordinatorRefusal("unsafe_id", `This is not the ${what} of anything here.`);
}

export const safeSessionId = (value: string): string => checkId("session_id", value, isSessionName(value));
export const safeTurnId = (value: string): string => checkId("turn_id", value, TURN.test(value));
export const safeQuestionId = (value: string): string => checkId("question_id", value, QUESTION.test(value));

/** The id of a turn's prompt in the session's journal. If the entry exists, the prompt was delivered. */
export const entryOfTurn = (turnId: string): string =>
  `t${createHash("sha256").update(turnId).digest("hex").slice(0, 15)}`;
