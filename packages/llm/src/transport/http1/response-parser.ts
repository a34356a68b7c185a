// One HTTP/1.1 answer out of bytes that arrive in any pieces. As strict as node's own parser, but for folded header
// lines, which are joined. Throws on what is no answer; the caller closes the connection then.

const CR = 0x0d;
const LF = 0x0a;
/** Bytes of the status line and the headers together, and of the trailers. */
const HEAD_LIMIT = 256 * 1024;

export interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The connection may serve another request when this answer is over. */
  readonly persistent: boolean;
}

export interface ResponseSink {
  head(head: ResponseHead): void;
  body(bytes: Buffer): void;
}

type Field = readonly [name: string, value: string];
type State = "status" | "headers" | "fixed" | "untilClose" | "chunkSize" | "chunk" | "chunkEnd" | "trailers" | "done";

export class ResponseParser {
  readonly #sink: ResponseSink;
  #state: State = "status";
  /** The line that is still incomplete, and how many more bytes of lines may come. */
  #line = "";
  #budget = HEAD_LIMIT;
  /** Bytes missing of the body or chunk. */
  #left = 0;
  #minor = 1;
  #status = 0;
  #fields: Field[] = [];
  #surplus = false;

  constructor(sink: ResponseSink) {
    this.#sink = sink;
  }

  get done(): boolean {
    return this.#state === "done";
  }

  /** More came than the answer has: whatever it is, nobody asked for it. */
  get surplus(): boolean {
    return this.#surplus;
  }

  push(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length && this.#state !== "done") {
      const inBody = this.#state === "fixed" || this.#state === "chunk" || this.#state === "untilClose";
      at = inBody ? this.#takeBody(bytes, at) : this.#takeLine(bytes, at);
    }
    if (at < bytes.length) this.#surplus = true;
  }

  /** The other side will send nothing more. False when something is missing. */
  close(): boolean {
    if (this.#state === "untilClose") this.#state = "done";
    return this.done;
  }

  #takeBody(bytes: Buffer, at: number): number {
    const stop = this.#state === "untilClose" ? bytes.length : Math.min(bytes.length, at + this.#left);
    this.#left -= stop - at;
    this.#sink.body(bytes.subarray(at, stop));
    if (this.#left === 0) {
      if (this.#state === "fixed") this.#state = "done";
      if (this.#state === "chunk") this.#state = "chunkEnd";
    }
    return stop;
  }

  #takeLine(bytes: Buffer, at: number): number {
    // Some servers put an empty line behind the body before.
    if (this.#state === "status" && this.#line === "" && (bytes[at] === CR || bytes[at] === LF)) return at + 1;
    const end = bytes.indexOf(LF, at);
    const stop = end === -1 ? bytes.length : end + 1;
    this.#budget -= stop - at;
    if (this.#budget < 0) throw new Error(`the head of the answer is larger than ${HEAD_LIMIT / 1024} KB.`);
    this.#line += bytes.toString("latin1", at, stop);
    // A peer of another protocol may never end its line.
    if (this.#state === "status" && this.#line.length >= 5 && !this.#line.startsWith("HTTP/"))
      throw new Error("the answer is not HTTP; check the address, its port and whether it is https.");
    if (end === -1) return stop;
    if (!this.#line.endsWith("\r\n")) throw broken("a line that does not end in CR LF");
    const line = this.#line.slice(0, -2);
    this.#line = "";
    this.#onLine(line);
    return stop;
  }

  #onLine(line: string): void {
    switch (this.#state) {
      case "status":
        this.#onStatus(line);
        return;
      case "headers":
        if (line === "") this.#onHead();
        else this.#onField(line);
        return;
      case "chunkSize":
        this.#onChunkSize(line);
        return;
      case "chunkEnd":
        if (line !== "") throw broken("a chunk that is longer than it says");
        this.#state = "chunkSize";
        this.#budget = HEAD_LIMIT;
        return;
      default:
        if (line === "") this.#state = "done";
        else this.#onField(line);
    }
  }

  #onStatus(line: string): void {
    const match = /^HTTP\/1\.([01]) (\d{3})(?: .*)?$/.exec(line);
    if (match === null) throw broken("a status line that cannot be read");
    this.#minor = Number(match[1]);
    this.#status = Number(match[2]);
    this.#fields = [];
    this.#state = "headers";
  }

  #onField(line: string): void {
    if (/[^\t\x20-\x7e\x80-\xff]/.test(line)) throw broken("a header with control characters");
    if (line.startsWith(" ") || line.startsWith("\t")) {
      const last = this.#fields.pop();
      if (last === undefined) throw broken("a header without a name");
      this.#fields.push([last[0], trimBlanks(`${last[1]} ${trimBlanks(line)}`)]);
      return;
    }
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name)) throw broken("a header without a valid name");
    this.#fields.push([name, trimBlanks(line.slice(colon + 1))]);
  }

  #onHead(): void {
    const status = this.#status;
    const headers = joinFields(this.#fields);
    const length = bodyLength(this.#fields, headers);
    if (status === 101) throw new Error("the server switched to another protocol without being asked.");
    if (status >= 100 && status < 200) {
      this.#state = "status";
      return;
    }
    this.#fields = [];
    if (status === 204 || status === 304 || length === 0) this.#state = "done";
    else if (length === "chunked") this.#state = "chunkSize";
    else if (length === "untilClose") this.#state = "untilClose";
    else {
      this.#state = "fixed";
      this.#left = length;
    }
    this.#budget = HEAD_LIMIT;
    const persistent = this.#state !== "untilClose" && staysOpen(this.#minor, headers.get("connection") ?? "");
    this.#sink.head({ status, headers: Object.fromEntries(headers), persistent });
  }

  #onChunkSize(line: string): void {
    const digits = /^([0-9a-f]+)(?:;.*)?$/i.exec(line)?.[1];
    const size = Number.parseInt(digits ?? "", 16);
    if (!Number.isSafeInteger(size)) throw broken("a chunk whose size cannot be read");
    this.#left = size;
    this.#state = size === 0 ? "trailers" : "chunk";
  }
}

function broken(what: string): Error {
  return new Error(`the answer is broken: ${what}.`);
}

/** How much body follows, if it were a status with one. Two opinions on that are refused, even when they agree. */
function bodyLength(fields: readonly Field[], headers: ReadonlyMap<string, string>): number | "chunked" | "untilClose" {
  const lengths = fields.filter(([name]) => name === "content-length");
  const encoding = headers.get("transfer-encoding");
  if (lengths.length > 1) throw broken("more than one Content-Length");
  const given = lengths[0]?.[1];
  if (encoding !== undefined) {
    if (given !== undefined) throw broken("both Content-Length and Transfer-Encoding");
    return encoding.split(",").at(-1)?.trim().toLowerCase() === "chunked" ? "chunked" : "untilClose";
  }
  if (given === undefined) return "untilClose";
  const length = /^\d+$/.test(given) ? Number(given) : Number.NaN;
  if (!Number.isSafeInteger(length)) throw broken("a Content-Length that is no number");
  return length;
}

function staysOpen(minor: number, connection: string): boolean {
  const words = connection.split(",").map((word) => word.trim().toLowerCase());
  return !words.includes("close") && (minor === 1 || words.includes("keep-alive"));
}

/** Of these the first one counts; what else comes more than once is a list. */
const SINGLE: ReadonlySet<string> = new Set(
  "age authorization content-length content-type etag expires from host if-modified-since if-unmodified-since last-modified location max-forwards proxy-authorization referer retry-after server user-agent".split(
    " ",
  ),
);

function joinFields(fields: readonly Field[]): Map<string, string> {
  const joined = new Map<string, string>();
  for (const [name, value] of fields) {
    const before = joined.get(name);
    if (before === undefined) joined.set(name, value);
    else if (!SINGLE.has(name)) joined.set(name, `${before}${name === "cookie" ? "; " : ", "}${value}`);
  }
  return joined;
}

/** Only blanks and tabs: other spaces are characters of the value. A loop, since a regular expression backtracks here. */
function trimBlanks(text: string): string {
  const blank = (at: number) => text[at] === " " || text[at] === "\t";
  let [from, to] = [0, text.length];
  while (from < to && blank(from)) from++;
  while (to > from && blank(to - 1)) to--;
  return text.slice(from, to);
}
