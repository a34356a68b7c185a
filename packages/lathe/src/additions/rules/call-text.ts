// The arguments of a call as plain text while they stream in: JSON escapes are resolved, so that an expression sees the
// lines of a file as they will be written.

const ESCAPED: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

export class CallText {
  #isInString = false;
  /** An incomplete escape. */
  #escape = "";

  /** The text of the next piece. Each string begins and ends with a line break. */
  add(json: string): string {
    let text = "";
    for (const char of json) {
      if (!this.#isInString) {
        if (char === '"') this.#isInString = true;
        text += char === '"' ? "\n" : char;
      } else if (this.#escape !== "" || char === "\\") {
        text += this.#continueString(char);
      } else if (char === '"') {
        this.#isInString = false;
        text += "\n";
      } else text += char;
    }
    return text;
  }

  #continueString(char: string): string {
    this.#escape += char;
    if (this.#escape.length === 1) return "";
    const isUnicode = this.#escape[1] === "u";
    if (isUnicode && this.#escape.length < 6) return "";
    const hex = this.#escape.slice(2);
    this.#escape = "";
    if (isUnicode) return String.fromCharCode(Number.parseInt(hex, 16));
    return ESCAPED[char] ?? char;
  }
}
