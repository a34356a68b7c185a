// The message of an error, for the user.

export const problemOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
