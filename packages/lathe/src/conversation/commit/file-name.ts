// File names in messages and lists. A name may contain line breaks and could add lines of its own, such as trailers.

/** Control characters, and characters that change the text direction. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]|^\s|\s$/u;

/** The name itself, or in quotes with invisible characters escaped. */
export const nameInLine = (path: string): string =>
  UNSAFE.test(path)
    ? JSON.stringify(path).replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (sign) => {
        return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
      })
    : path;
