// File names in messages and lists: a name may hold line breaks, with which it could add lines of its own, such as trailers.

/** Control characters, and those that change the direction of a line. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]|^\s|\s$/u;

/** As it is, or in quotes with what would not be seen written out. */
export const nameInLine = (path: string): string =>
  UNSAFE.test(path)
    ? JSON.stringify(path).replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (sign) => {
        return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
      })
    : path;
