// What went wrong, in words for a person.

export const problemOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
