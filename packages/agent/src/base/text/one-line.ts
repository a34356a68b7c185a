/** The text in one line: every run of blanks and line ends is one space, and there is none at the ends. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
