// Adds a hint to errors about a session entry: where its entries are listed, which differs per host.

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
