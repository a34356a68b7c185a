// The text of an error. The parser process starts quickly because it loads nothing of the model client, which has the same function.

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
