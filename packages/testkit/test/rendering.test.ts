import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { awsFrame } from "../src/aws-frames.ts";
import { deltas } from "../src/dialect.ts";
import { rechunk } from "../src/framing.ts";
import { renderComplete, renderStream, startModelServer, turn } from "../src/index.ts";
import { dialectNames, sample, send } from "./wire.ts";

const someText = fc.array(fc.constantFrom("a", "b", "é", "漢", "🎉", "\n")).map((letters) => letters.join(""));

describe("cutting", () => {
  it("deltas join to the text and never split a surrogate pair", () => {
    fc.assert(
      fc.property(someText, fc.integer({ min: 1, max: 7 }), (value, size) => {
        const parts = deltas(value, size);
        expect(parts.join("")).toBe(value);
        expect(parts.every((part) => part.isWellFormed())).toBe(true);
      }),
    );
  });

  it("chunks join to the bytes; split characters are really split", () => {
    const chunking = fc.oneof(
      fc.integer({ min: 1, max: 9 }),
      fc.constant("split-multibyte" as const),
      fc.array(fc.integer({ min: 0, max: 40 })),
    );
    fc.assert(
      fc.property(someText, chunking, (value, how) => {
        expect(Buffer.concat(rechunk(Buffer.from(value), how)).toString()).toBe(value);
      }),
    );
    expect(rechunk(Buffer.from("aé🎉b"), "split-multibyte").map((chunk) => chunk.length)).toEqual([2, 2, 1, 1, 2]);
  });
});

it("an AWS frame has its lengths and checksums where they belong", () => {
  const payload = Buffer.from('{"a":1}');
  const frame = awsFrame({ ":event-type": "x" }, payload);
  const headerLength = frame.readUInt32BE(4);
  expect(frame.readUInt32BE(0)).toBe(frame.length);
  expect(frame.readUInt32BE(8)).toBe(crc32(frame.subarray(0, 8)));
  expect(frame.readUInt32BE(frame.length - 4)).toBe(crc32(frame.subarray(0, -4)));
  expect(frame.subarray(12 + headerLength, -4)).toEqual(payload);
});

describe.each(dialectNames)("rendering without a server in the dialect %s", (dialect) => {
  const answer = turn.text("hello", { usage: { input: 1, output: 2 }, id: "same", model: "m" });

  it("gives the bytes that the server sends", async () => {
    await using server = await startModelServer({ script: () => answer });
    const whole = await send(server, sample(dialect, false));
    const strip = (value: unknown) => JSON.stringify(value).replace(/_?0*\d{4,}/g, "");
    expect(strip(renderComplete(answer, dialect))).toBe(strip(JSON.parse(whole.body)));
    expect(renderStream(answer, dialect).toString("latin1")).toContain("hello");
  });

  it("lets a test edit the vendor's events first", async () => {
    const edited = { ...answer, edit: (parts: readonly object[]) => parts.slice(0, 1) as never };
    await using server = await startModelServer({ script: () => edited });
    const streamed = await send(server, sample(dialect, true));
    expect(streamed.chunks).toHaveLength(1);
    expect(renderStream(edited, dialect).length).toBeLessThan(renderStream(answer, dialect).length);
  });
});

it("an endpoint declared missing answers 404 although the dialect is known", async () => {
  await using server = await startModelServer({ script: () => turn.text("x"), listings: { missing: ["/responses"] } });
  expect((await send(server, sample("responses", true))).status).toBe(404);
  expect((await send(server, sample("chat", true))).status).toBe(200);
  expect(server.requests[0]).toMatchObject({ path: "/v1/responses", dialect: "responses" });
});

const OPENSSL = "openssl";
const hasOpenssl = spawnSync(OPENSSL, ["version"]).status === 0;

describe.skipIf(!hasOpenssl)("over TLS (needs openssl)", () => {
  it("demands a client certificate when told", async () => {
    const folder = mkdtempSync(join(tmpdir(), "testkit-tls-"));
    const keyFile = join(folder, "key.pem");
    const certFile = join(folder, "cert.pem");
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    spawnSync(OPENSSL, ["req", "-x509", ...curve, "-keyout", keyFile, "-out", certFile, ...subject]);
    const key = readFileSync(keyFile);
    const cert = readFileSync(certFile);
    rmSync(folder, { recursive: true });

    await using server = await startModelServer({
      script: () => turn.text("x"),
      tls: { key, cert, ca: cert, requestCert: true, rejectUnauthorized: true },
    });
    const { path, headers, body } = sample("chat", false);
    const post = (client: object) =>
      new Promise((resolve) => {
        const options = { method: "POST", headers, ca: cert, agent: false as const, ...client };
        request(server.url + path, options, (response) => resolve(response.resume().statusCode))
          .on("error", () => resolve("refused"))
          .end(JSON.stringify(body));
      });
    expect(server.url).toMatch(/^https:/);
    expect(await post({ key, cert })).toBe(200);
    expect(await post({})).toBe("refused");
  });
});
