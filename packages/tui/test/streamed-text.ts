// The text that `stream-program.ts` writes: lines of many lengths, each of which can be told from the others.

export const streamedLine = (index: number): string =>
  `${index}: ${"a word and then another, ".repeat((index * 5) % 9)}end ${index};`;
