// One HTML file with an encrypted page and the script that decrypts it in a browser. The file does not contain the key.

import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { Html, html } from "../../sessions/export/html.ts";
import { STYLE } from "../../sessions/export/style.ts";
import { inChunks } from "../../sessions/write-pieces.ts";
import openPage from "./open-page.js.text";

const KEY_BYTES = 32;
/** The page's script relies on this length, too. */
const IV_BYTES = 12;

export interface SealedPage {
  /** Goes into the fragment of the link. */
  readonly key: string;
  /** The file in pieces, in order. */
  readonly pieces: AsyncGenerator<string, void, undefined>;
}

/** `page` is the page to encrypt, in pieces. Each file has its own key. */
export function sealPage(page: Iterable<string>): SealedPage {
  const key = randomBytes(KEY_BYTES);
  return { key: key.toString("base64url"), pieces: fileOf(page, key) };
}

async function* fileOf(page: Iterable<string>, key: Buffer): AsyncGenerator<string, void, undefined> {
  const chunks = inChunks(page);
  // If the session cannot be read, fail before anything of the file is written.
  const first = chunks.next();
  yield head();
  if (!first.done) yield* base64(encrypt(chain(first.value, chunks), key));
  yield END;
}

function* chain(first: string, rest: Iterable<string>): Generator<string> {
  yield first;
  yield* rest;
}

/** Nonce, compressed and encrypted text, tag: the order that browsers expect. */
async function* encrypt(text: Iterable<string>, key: Buffer): AsyncGenerator<Buffer> {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  yield iv;
  // A failure of any stream reaches the reader of the last one.
  yield* pipeline(Readable.from(text), createGzip(), cipher, () => {});
  yield cipher.getAuthTag();
}

async function* base64(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let left: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = Buffer.concat([left, piece]);
    // Three bytes make four letters of base64; keep the rest for the next piece.
    const whole = bytes.length - (bytes.length % 3);
    left = bytes.subarray(whole);
    yield bytes.toString("base64", 0, whole);
  }
  yield left.toString("base64");
}

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Nothing of the session is readable here, not even its title. */
function head(): string {
  const policy = [
    "default-src 'none'; img-src data:",
    `style-src ${hashOf(STYLE)}; script-src ${hashOf(openPage)}`,
    "base-uri 'none'; form-action 'none'",
  ].join("; ");
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${new Html(policy)}"><meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex"><link rel="icon" href="data:,"><title>Encrypted session</title>
<style>${new Html(STYLE)}</style><script>${new Html(openPage)}</script></head>
<body><main><p id="said" role="status">Decrypting&hellip;</p><noscript><p class="loss">This page is encrypted, and only a script can decrypt it: turn JavaScript on.</p></noscript></main>
<script type="application/octet-stream" id="sealed">`.text;
}

const END = `</script><i id="end" hidden></i></body></html>
`;
