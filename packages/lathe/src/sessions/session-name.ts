// The name that a user gives a session: one line that lists can show. A longer text would go into a blob, and lists,
// which only read the start of the session file, would just find a reference to it.

import { usageError } from "../platform/usage/exit.ts";
import { printableLine } from "./list.ts";

const MOST_NAME = 200;

/** Throws an error that says what is wrong with it. `empty` is the message if nothing is left of it. */
export function checkSessionName(text: string, empty: string): string {
  const name = printableLine(text);
  if (name === "") throw usageError(empty);
  if (name.length > MOST_NAME)
    throw usageError(`A name has at most ${MOST_NAME} characters; this one has ${name.length}.`);
  return name;
}
