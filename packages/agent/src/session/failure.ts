// Describes an error for hosts: its message, what can be done about it, and its class name for logs.

import { messageOf, SDKError } from "@lathe/llm";
import type { FailureKind, InputError } from "../contract/events/types.ts";
import { JournalError } from "../record/journal/errors.ts";

export const failureOf = (error: unknown, message = messageOf(error)): InputError => ({
  message,
  kind: kindOf(error),
  type: error instanceof Error ? error.name : "Error",
});

/** An error that the model client classified keeps its kind; blobs and artifacts fail with the system's own errors. */
function kindOf(error: unknown): FailureKind {
  if (error instanceof SDKError) return error.kind;
  return error instanceof JournalError || isOfTheSystem(error) ? "storage" : "bug";
}

const isOfTheSystem = (error: unknown): boolean => error instanceof Error && "syscall" in error && "errno" in error;
