// Reads the text of a settings file.

import { PIPE, readIfThere } from "../../platform/home/small-file.ts";
import { usageError } from "../../platform/usage/exit.ts";

/** Undefined if there is no such file. */
export function settingsText(file: string): string | undefined {
  try {
    return readIfThere(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const remedy = code === PIPE ? "Give a regular file." : "Fix or remove it.";
    throw usageError(`Cannot read settings ${file}: ${code}. ${remedy}`);
  }
}
