// One HTML file that holds an encrypted page and what decrypts it in a browser. The key is not in the file.

import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { Html, html } from "../../sessions/export/html.ts";
import { STYLE } from "../../sessions/export/style.ts";
import { inChunks } from "../../sessions/write-pieces.ts";
import openPage from "./open-page.js.text";

const KEY_BYTES = 32;
/** The script of the page knows this length, too. */
const IV_BYTES = 12;

export interface SealedPage {
  /** For the fragment of a link. */
  readonly key: string;
  /** Of the file, in order. */
  readonly pieces: AsyncGenerator<string, void, undefined>;
}

/** `page`: the pieces of the page that is encrypted. Each file has a key of its own. */
export function sealPage(page: Iterable<string>): SealedPage {
  const key = randomBytes(KEY_BYTES);
  return { key: key.toString("base64url"), pieces: fileOf(page, key) };
}

async function* fileOf(page: Iterable<string>, key: Buffer): AsyncGenerator<string, void, undefined> {
  const chunks = inChunks(page);
  // A session that cannot be read is reported before the file begins.
  const first = chunks.next();
  yield head();
  if (!first.done) yield* base64(sealed(continued(first.value, chunks), key));
  yield END;
}

function* continued(first: string, rest: Iterable<string>): Generator<string> {
  yield first;
  yield* rest;
}

/** Number used once, compressed and encrypted text, tag: the order that browsers expect. */
async function* sealed(text: Iterable<string>, key: Buffer): AsyncGenerator<Buffer> {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  yield iv;
  // A failure of any of them reaches the reader of the last one.
  yield* pipeline(Readable.from(text), createGzip(), cipher, () => {});
  yield cipher.getAuthTag();
}

async function* base64(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let left: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = Buffer.concat([left, piece]);
    // Three bytes are four letters: what is over waits for more.
    const whole = bytes.length - (bytes.length % 3);
    left = bytes.subarray(whole);
    yield bytes.toString("base64", 0, whole);
  }
  yield left.toString("base64");
}

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Nothing of the session is in the clear, not even its title. */
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
