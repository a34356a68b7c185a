/** The text in one line: each run of white space becomes one space, and none is left at either end. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
