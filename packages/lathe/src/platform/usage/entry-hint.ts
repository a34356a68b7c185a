// Refusals about an entry of a session say where its entries are listed, which each host does in its own way.

import { JournalError } from "@lathe/agent";
import { usageError } from "./exit.ts";

export async function withEntryHint<T>(hint: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    throw usageError(error.code === "unknown_entry" ? `${error.message} ${hint}` : error.message);
  }
}
