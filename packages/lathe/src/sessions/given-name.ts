// The name that a person gives a session: one line that lists can show. A longer text would be kept beside the session's file, and the
// start of the file, which lists read, would only name that place.

import { usageError } from "../platform/usage/exit.ts";
import { printableLine } from "./list.ts";

const MOST_NAME = 200;

/** Throws what is wrong with it; `empty`: what to say when nothing is left of it. */
export function givenName(text: string, empty: string): string {
  const name = printableLine(text);
  if (name === "") throw usageError(empty);
  if (name.length > MOST_NAME)
    throw usageError(`A name has at most ${MOST_NAME} characters; this one has ${name.length}.`);
  return name;
}
