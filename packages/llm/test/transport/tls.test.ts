import { createServer } from "node:https";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TlsMaterial, Transport } from "../../src/types/adapter.ts";
import { ConfigurationError, NetworkError } from "../../src/types/errors.ts";
import { type Certificates, hasOpenssl, makeCertificates } from "./certificates.ts";
import { client, get, listen, text } from "./servers.ts";

interface Seen {
  readonly name: string | false | null;
  readonly alpn: string | false | null;
  readonly client: unknown;
  readonly resumed: boolean;
}

describe.skipIf(!hasOpenssl)("https, with openssl for the certificates", () => {
  let files: Certificates;
  beforeAll(() => {
    files = makeCertificates({
      both: "DNS:localhost,IP:127.0.0.1",
      address: "IP:127.0.0.1",
      one: "DNS:one",
      two: "DNS:two",
    });
  });
  afterAll(() => files.remove());

  const material = (name: string): TlsMaterial => ({
    ca: files.pem("ca.pem"),
    cert: files.pem(`${name}.pem`),
    key: files.pem(`${name}.key`),
  });

  /** Answers with what it saw of the connection; `close` after each answer. */
  async function serve(certificate: string, { close = false } = {}) {
    let connections = 0;
    let requests = 0;
    const { cert, key, ca } = material(certificate);
    const server = createServer(
      { cert, key, ca, requestCert: true, rejectUnauthorized: false, ALPNProtocols: ["h2", "http/1.1"] },
      (request, response) => {
        requests++;
        const socket = request.socket as TLSSocket & { servername: string | false | null };
        const seen: Seen = {
          name: socket.servername,
          alpn: socket.alpnProtocol,
          client: socket.getPeerCertificate().subject?.CN,
          resumed: socket.isSessionReused(),
        };
        if (close) response.setHeader("connection", "close");
        response.end(JSON.stringify(seen));
      },
    );
    server.on("secureConnection", () => connections++);
    const port = await listen(server);
    const ask = async (transport: Transport, host: string, tls?: TlsMaterial, headers = {}) => {
      const request = get(`https://${host}:${port}/`, { headers, ...(tls === undefined ? {} : { tls }) });
      return JSON.parse(await text(await transport(request))) as Seen;
    };
    return { ask, counts: () => ({ connections, requests }) };
  }

  it("AD-01 a server is asked for by its name, by its address without one, and for HTTP/1.1", async () => {
    const { ask } = await serve("both");
    const transport = client({ extraCa: files.pem("ca.pem") });
    expect(await ask(transport, "localhost")).toMatchObject({ name: "localhost", alpn: "http/1.1" });
    expect((await ask(transport, "127.0.0.1")).name).toBe(false);
  });

  it("AD-01 who asks for another host is shown the certificate of that one, on a connection of its own", async () => {
    const { ask, counts } = await serve("both");
    const transport = client({ extraCa: files.pem("ca.pem") });
    expect((await ask(transport, "127.0.0.1", undefined, { Host: "localhost:1" })).name).toBe("localhost");
    expect((await ask(transport, "127.0.0.1")).name).toBe(false);
    expect(counts().connections).toBe(2);
  });

  it("ER-02 a certificate for another host is refused with a reason, before anything is sent", async () => {
    const { ask, counts } = await serve("address");
    const transport = client({ extraCa: files.pem("ca.pem") });
    const refused = ask(transport, "localhost");
    await expect(refused).rejects.toThrow(NetworkError);
    await expect(refused).rejects.toThrow(/the certificate is for another host \(ERR_TLS_CERT_ALTNAME_INVALID\)/);
    // The matching one still works, and is the only one that was ever asked.
    await ask(transport, "127.0.0.1");
    expect(counts().requests).toBe(1);
  });

  it("ER-02 an unknown authority is refused each time, and what one request trusts no other does", async () => {
    const { ask, counts } = await serve("both", { close: true });
    const transport = client();
    const trusting = { ca: files.pem("ca.pem") };
    for (let round = 0; round < 2; round++) {
      await expect(ask(transport, "127.0.0.1")).rejects.toThrow(/extra CA/);
      await ask(transport, "127.0.0.1", trusting);
    }
    expect(counts().requests).toBe(2);
  });

  it("AD-32 each client certificate has its own connection", async () => {
    const { ask, counts } = await serve("both");
    const transport = client();
    const seen: unknown[] = [];
    for (const tls of [material("one"), material("two"), { ca: files.pem("ca.pem") }, material("one")])
      seen.push((await ask(transport, "127.0.0.1", tls)).client);
    expect(seen).toEqual(["one", "two", undefined, "one"]);
    expect(counts().connections).toBe(3);
  });

  it("AD-32 a session is taken up again by the certificate it was made with, and by no other", async () => {
    const { ask } = await serve("both", { close: true });
    const transport = client();
    const seen: Seen[] = [];
    for (const name of ["one", "one", "two", "two", "one"])
      seen.push(await ask(transport, "127.0.0.1", material(name)));
    expect(seen.map((one) => one.client)).toEqual(["one", "one", "two", "two", "one"]);
    expect(seen.map((one) => one.resumed)).toEqual([false, true, false, true, true]);
  });

  it.each([
    ["a certificate", { cert: "nonsense", key: "nonsense" }],
    ["a key of another certificate", undefined],
  ])("AD-32 %s that cannot be used is a ConfigurationError that does not repeat it", async (_, given) => {
    const { ask } = await serve("both");
    const tls = given ?? { ...material("one"), key: files.pem("two.key") };
    const failure = await ask(client(), "127.0.0.1", tls).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigurationError);
    expect(String(failure)).not.toMatch(/nonsense|BEGIN/);
  });

  it("ER-02 plain HTTP behind an https address is a NetworkError", async () => {
    const { createServer: createPlain } = await import("node:http");
    const port = await listen(createPlain((_, response) => response.end()));
    await expect(client()(get(`https://127.0.0.1:${port}/`))).rejects.toThrow(NetworkError);
  });
});
