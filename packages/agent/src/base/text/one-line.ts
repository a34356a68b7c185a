/** Joins the text into one line: each run of white space becomes one space, with none at either end. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
