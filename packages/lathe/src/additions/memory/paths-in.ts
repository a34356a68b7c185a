// Finds file paths in a text.

/** `src/a.ts`, `./b.c`, `Makefile.am`: words that look like files. */
export const pathsIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?<![\w/.@-])(?:\.{1,2}\/)?[\w@.-]+(?:\/[\w@.-]+)*\.[a-z]\w{0,9}(?![\w/])/gi)].map(
    ([path]) => path,
  );
