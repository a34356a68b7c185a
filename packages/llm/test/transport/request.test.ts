import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/types/errors.ts";
import { client, get, listen, OK, rawServer, signal, text } from "./servers.ts";

const POST = { method: "POST" } as const;

/** The head of one request on the wire, without the empty line after it. */
async function headAt(url: string, headers: Record<string, string> = {}, body?: string[]): Promise<string> {
  const { promise, resolve } = signal<string>();
  const server = createTcpServer((socket) => {
    let seen = "";
    socket.on("data", (bytes) => {
      seen += bytes.toString("latin1");
      if (!seen.includes("\r\n\r\n")) return;
      resolve(seen.slice(0, seen.indexOf("\r\n\r\n")));
      socket.end(OK);
    });
  });
  const proxy = `http://127.0.0.1:${await listen(server)}`;
  // A proxy sees the request for any server, so that no server is needed.
  const transport = client({ env: { HTTP_PROXY: proxy } });
  const request = { ...POST, url, headers, ...(body === undefined ? {} : { body }) };
  await text(await transport(request));
  return promise;
}

async function linesAt(path: string, headers: Record<string, string> = {}): Promise<string[]> {
  const server = await rawServer((socket) => socket.write(OK));
  await text(await client()(get(`${server.url}${path}`, { headers })));
  return server.requests[0]?.split("\r\n") ?? [];
}

describe("heads of requests", () => {
  it("AD-01 the server gets one request line, its host and the caller's headers", async () => {
    const server = await rawServer((socket) => socket.write(OK));
    const headers = { Authorization: "Bearer k", accept: "*/*" };
    const url = `${server.url}v1/a b?q=ü#part`;
    await text(await client()({ ...POST, url, headers, body: ["hello ", "world!"] }));
    expect(server.requests[0]?.split("\r\n")).toEqual([
      "POST /v1/a%20b?q=%C3%BC HTTP/1.1",
      `host: ${new URL(server.url).host}`,
      "accept-encoding: gzip",
      "authorization: Bearer k",
      "accept: */*",
      "content-length: 12",
      "Connection: keep-alive",
    ]);
  });

  it.each([
    ["http://example.com:80/", "example.com"],
    ["http://example.com:443/", "example.com:443"],
    ["http://192.0.2.1:11434/", "192.0.2.1:11434"],
    ["http://[2001:db8::1]/", "[2001:db8::1]"],
    ["http://[2001:db8::1]:11434/", "[2001:db8::1]:11434"],
    ["http://user:secret@example.com/", "example.com"],
    ["http://bücher.example/", "xn--bcher-kva.example"],
  ])("AD-01 %s is asked as host %s", async (url, host) => {
    expect(await headAt(url)).toContain(`\r\nhost: ${host}\r\n`);
  });

  it("AD-01 whatever the address holds, the head has one line a header and nothing else", async () => {
    const server = await rawServer((socket) => socket.write(OK));
    const transport = client();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), async (path, query) => {
        server.requests.length = 0;
        await text(await transport(get(`${server.url}${path}?${query}`)));
        expect(server.requests).toHaveLength(1);
        const [line, ...rest] = server.requests[0]?.split("\r\n") ?? [];
        expect(line).toMatch(/^GET \/[\x21-\x7e]* HTTP\/1\.1$/);
        expect(rest).toEqual([`host: ${new URL(server.url).host}`, "accept-encoding: gzip", "Connection: keep-alive"]);
      }),
    );
  });

  it("AD-01 no value and no name of a header starts another line", async () => {
    const server = await rawServer((socket) => socket.write(OK));
    const transport = client();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), async (name, value) => {
        server.requests.length = 0;
        try {
          await text(await transport(get(server.url, { headers: { [name]: value } })));
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigurationError);
          return;
        }
        expect(server.requests).toHaveLength(1);
        expect(server.requests[0]).not.toMatch(/\r(?!\n)|(?<!\r)\n|\0/);
        expect(server.requests[0]?.split("\r\n").length).toBeLessThanOrEqual(5);
      }),
    );
  });

  it.each(["sk-secret\n", "sk-secret\r\nx: y", "sk-secret\0", "sk-secret–"])(
    "AD-01 a key such as %j is refused by the name of its header, and not repeated",
    async (key) => {
      const failure = await headAt("http://h/", { "x-api-key": key }).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ConfigurationError);
      expect(String(failure)).toContain("x-api-key");
      expect(String(failure)).not.toContain("secret");
    },
  );

  it("AD-01 a header given in another case is the same header, and the length is ours", async () => {
    const headers = { "Content-Length": "99", "Transfer-Encoding": "chunked", HOST: "other" };
    const made = await headAt("http://h/", headers, ["{", "}"]);
    expect(made.toLowerCase().split("\r\n").slice(1)).toEqual([
      "host: other",
      "accept-encoding: gzip",
      "content-length: 2",
      "connection: keep-alive",
    ]);
    expect((await linesAt("", headers)).slice(1)).toEqual([
      "host: other",
      "accept-encoding: gzip",
      "Connection: keep-alive",
    ]);
  });
});

describe("requests on the wire", () => {
  it("AD-01 a POST without a body says so, a GET says nothing", async () => {
    const server = await rawServer((socket) => socket.write(OK));
    const transport = client();
    await text(await transport(get(server.url, { method: "POST" })));
    await text(await transport(get(server.url)));
    expect(server.requests.map((request) => /content-length: \d+/.exec(request)?.[0])).toEqual([
      "content-length: 0",
      undefined,
    ]);
  });

  it("AD-01 a header that cannot be sent opens no connection", async () => {
    const server = await rawServer((socket) => socket.write(OK));
    await expect(client()(get(server.url, { headers: { a: "b\r\nc: d" } }))).rejects.toThrow(ConfigurationError);
    expect(server.connections.length).toBe(0);
  });

  it("AD-01 an address of another kind is a ConfigurationError", async () => {
    await expect(client()(get("ftp://127.0.0.1/"))).rejects.toThrow(ConfigurationError);
  });

  it("AD-01 a host name is resolved, an IPv6 address needs no name", async () => {
    const six = createServer((request, response) => response.end(request.headers.host));
    const port = await listen(six, "::1").catch(() => undefined);
    const four = await listen(createServer((request, response) => response.end(request.headers.host)));
    expect(await text(await client()(get(`http://localhost:${four}/`)))).toBe(`localhost:${four}`);
    // A machine without IPv6 has nothing to test here.
    if (port !== undefined) expect(await text(await client()(get(`http://[::1]:${port}/`)))).toBe(`[::1]:${port}`);
  });
});
