import { createServer } from "node:http";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressOf } from "../../src/transport/http1/address.ts";
import { requestHead } from "../../src/transport/http1/request-head.ts";
import { ConfigurationError } from "../../src/types/errors.ts";
import { client, get, listen, OK, rawServer, text } from "./servers.ts";

const head = (url: string, headers: Record<string, string> = {}, length?: number) =>
  requestHead(addressOf(url), { method: "POST", headers }, length);

describe("heads of requests", () => {
  it("AD-01 the server gets one request line, its host and the caller's headers", () => {
    expect(head("https://api.example.com/v1/a b?q=ü#part", { Authorization: "Bearer k", accept: "*/*" }, 12)).toBe(
      [
        "POST /v1/a%20b?q=%C3%BC HTTP/1.1",
        "host: api.example.com",
        "connection: keep-alive",
        "accept-encoding: gzip",
        "authorization: Bearer k",
        "accept: */*",
        "content-length: 12",
        "\r\n",
      ].join("\r\n"),
    );
  });

  it.each([
    ["http://example.com:80/", "example.com"],
    ["http://example.com:443/", "example.com:443"],
    ["https://example.com:443/", "example.com"],
    ["https://example.com:80/", "example.com:80"],
    ["http://127.0.0.1:11434/", "127.0.0.1:11434"],
    ["http://[::1]/", "[::1]"],
    ["http://[::1]:11434/", "[::1]:11434"],
    ["http://user:secret@example.com/", "example.com"],
    ["http://bücher.example/", "xn--bcher-kva.example"],
  ])("AD-01 %s is asked as host %s", (url, host) => {
    expect(head(url)).toContain(`\r\nhost: ${host}\r\n`);
  });

  it("AD-01 whatever the address holds, the head has one line a header and nothing else", () => {
    const line = /^[\x21-\x7e]+ \/[\x21-\x7e]* HTTP\/1\.1$/;
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (path, query) => {
        const lines = head(`http://h/${path}?${query}`).split("\r\n");
        expect(lines[0]).toMatch(line);
        expect(lines.slice(1)).toEqual(["host: h", "connection: keep-alive", "accept-encoding: gzip", "", ""]);
      }),
    );
  });

  it("AD-01 no value and no name of a header starts another line", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (name, value) => {
        let made = "";
        try {
          made = head("http://h/", { [name]: value });
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigurationError);
          return;
        }
        expect(made.slice(0, -4)).not.toMatch(/\r(?!\n)|(?<!\r)\n|\r\n\r\n|\0/);
        expect(made.split("\r\n").length).toBeLessThanOrEqual(7);
      }),
    );
  });

  it.each(["sk-secret\n", "sk-secret\r\nx: y", "sk-secret\0", "sk-secret–"])(
    "AD-01 a key such as %j is refused by the name of its header, and not repeated",
    (key) => {
      let message = "";
      try {
        head("http://h/", { "x-api-key": key });
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigurationError);
        message = (error as Error).message;
      }
      expect(message).toContain("x-api-key");
      expect(message).not.toContain("secret");
    },
  );

  it("AD-01 a header given in another case is the same header, and the length is ours", () => {
    const made = head("http://h/", { "Content-Length": "99", "Transfer-Encoding": "chunked", HOST: "other" }, 2);
    expect(made.toLowerCase().split("\r\n").filter(Boolean).slice(1)).toEqual([
      "host: other",
      "connection: keep-alive",
      "accept-encoding: gzip",
      "content-length: 2",
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
