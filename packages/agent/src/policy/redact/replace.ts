// Redaction of secrets in whole or streamed text.

import type { Secret } from "../../base/secrets/secret-values.ts";

/** Called with each secret that is replaced. */
export type OnReplaced = (secret: Secret) => void;

/** `secrets`: longest first, because one may be a prefix of another. */
export function withoutSecrets(text: string, secrets: readonly Secret[], onReplaced?: OnReplaced): string {
  // Almost always there is none, and searching for substrings is much faster than the walk.
  return secrets.some(({ value }) => text.includes(value)) ? walk(text, secrets, "whole", onReplaced).done : text;
}

/** Streamed text: what may be the beginning of a secret is held back until the next chunk, or the end, decides. */
export class RedactingStream {
  readonly #secrets: () => readonly Secret[];
  #held = "";

  constructor(secrets: () => readonly Secret[]) {
    this.#secrets = secrets;
  }

  push(piece: string): string {
    const { done, rest } = walk(this.#held + piece, this.#secrets(), "piece");
    this.#held = rest;
    return done;
  }

  flush(): string {
    const rest = withoutSecrets(this.#held, this.#secrets());
    this.#held = "";
    return rest;
  }
}

/** Treats bytes as single-byte characters, so that nothing is lost whatever they encode. */
export class RedactingBytes {
  readonly #stream: RedactingStream;
  #of: readonly Secret[] | undefined;
  #asBytes: readonly Secret[] = [];

  constructor(secrets: () => readonly Secret[]) {
    this.#stream = new RedactingStream(() => {
      const now = secrets();
      if (now !== this.#of)
        this.#asBytes = now.map(({ name, value }) => ({ name: byteLetters(name), value: byteLetters(value) }));
      this.#of = now;
      return this.#asBytes;
    });
  }

  push(chunk: Uint8Array): Uint8Array {
    const letters = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString("latin1");
    return Buffer.from(this.#stream.push(letters), "latin1");
  }

  flush(): Uint8Array {
    return Buffer.from(this.#stream.flush(), "latin1");
  }
}

function byteLetters(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/**
 * Finds secrets from the left, the longest at each position. `rest`: how to treat a text that ends in the middle of a
 * possible secret.
 */
function walk(
  text: string,
  secrets: readonly Secret[],
  what: "whole" | "piece",
  onReplaced?: OnReplaced,
): { done: string; rest: string } {
  const firsts = new Set(secrets.map(({ value }) => value.charCodeAt(0)));
  let done = "";
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (!firsts.has(text.charCodeAt(at))) continue;
    for (const secret of secrets) {
      const { name, value } = secret;
      if (text.startsWith(value, at)) {
        onReplaced?.(secret);
        done += `${text.slice(from, at)}[redacted:${name}]`;
        from = at + value.length;
        at = from - 1;
        break;
      }
      const mayContinue = what === "piece" && text.length - at < value.length && value.startsWith(text.slice(at));
      if (mayContinue) return { done: done + text.slice(from, at), rest: text.slice(at) };
    }
  }
  return { done: done + text.slice(from), rest: "" };
}
