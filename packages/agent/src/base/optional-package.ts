// Packages that a host installs only if it uses them. A missing one causes a message that names it, never a crash.

/** `purpose` is the plural subject of the sentence: `PDF files`. */
export const missingPackage = (purpose: string, ...names: readonly string[]): string =>
  `${purpose} need ${names.length === 1 ? "the package" : "the packages"} ${names.join(" and ")}, not installed here: npm install ${names.join(" ")}`;

/** Whether an import failed because the package is not there, and not because it is broken. */
export function isMissingPackage(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
}
