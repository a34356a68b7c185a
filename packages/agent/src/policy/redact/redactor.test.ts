import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { secretValues } from "../../base/secrets/secret-values.ts";
import { MemoryArtifacts } from "../../record/artifacts/store.ts";
import { redactedArtifacts } from "./artifacts.ts";
import { Redactor } from "./redactor.ts";

const KEY = "sk-ant-0123456789abcdef";

describe("which values count", () => {
  it.each([
    ["API_KEY", KEY, [KEY]],
    ["API_KEY", ` ${KEY}\n`, [KEY]],
    ["DB_PASSWORD", "postgres", []],
    ["API_KEY", "not-needed", []],
    ["API_KEY", "your-api-key-goes-here-1", []],
    ["ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY", []],
    ["TOKEN", "short1", []],
    ["DB_PASSWORD", "hunter2hunter2", ["hunter2hunter2"]],
    ["DATABASE_URL", "postgres://localhost:5432/development", []],
    ["DATABASE_URL", "postgres://u:p%40ssw0rd@db/x", ["p%40ssw0rd", "p@ssw0rd", "postgres://u:p%40ssw0rd@db/x"]],
    ["SLACK_WEBHOOK_URL", "https://hooks.example.test/T0/B0/x", []],
    ["SLACK_WEBHOOK_URL", "https://hooks.test/T0/B0/x9", ["https://hooks.test/T0/B0/x9"]],
    ["A_CUSTOM_HEADERS", `x-key: ${KEY}, a: b`, [KEY, `x-key: ${KEY}, a: b`]],
  ])("D3 %s=%s", (name, value, expected) => {
    const plain = secretValues(name, value).map((secret) => secret.value);
    // The same value is also covered as written in addresses and in JSON.
    const all = expected.flatMap((text) => [text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1)]);
    expect(plain.sort()).toEqual([...new Set(all)].sort());
  });

  it("D3 every line of a private key counts, however it is indented when it is shown", () => {
    const lines = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj", "AgEAAoIBAQC7VJTUt9Us8cKjMzEfYyjiWA4R4Oha"];
    const pem = `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}\n-----END PRIVATE KEY-----\n`;
    const redactor = new Redactor(() => [{ name: "TLS_KEY", value: pem }]);
    const shown = redactor.text(pem.replaceAll("\n", "\n    "));
    for (const line of lines) expect(shown).not.toContain(line);
  });
});

describe("a redactor", () => {
  it("D3 replaces in text and deep inside data, keeps what needs no change, and does it once", () => {
    const redactor = new Redactor(() => [{ name: "KEY", value: KEY }]);
    const bytes = new Uint8Array(3);
    const untouched = { list: ["x", { n: 1 }], bytes };
    expect(redactor.value(untouched)).toBe(untouched);
    const changed = redactor.value({ text: `a ${KEY} b ${KEY}`, deep: [{ inner: [KEY] }], untouched });
    expect(changed).toEqual({
      text: "a [redacted:KEY] b [redacted:KEY]",
      deep: [{ inner: ["[redacted:KEY]"] }],
      untouched,
    });
    expect(changed.untouched).toBe(untouched);
    expect(redactor.value(changed)).toBe(changed);
  });

  it("D3 of two secrets that begin alike the longer one is found, and what is learned later counts from then on", () => {
    const redactor = new Redactor(() => [{ name: "SHORT", value: KEY }]);
    expect(redactor.text(`${KEY}99`)).toBe("[redacted:SHORT]99");
    redactor.add("LONG", `${KEY}99`);
    expect(redactor.text(`${KEY}99 ${KEY}`)).toBe("[redacted:LONG] [redacted:SHORT]");
  });

  it("D3 a stream gives the same text as the whole, however it is cut, and holds back no more than a secret's length", () => {
    const secrets = [KEY, `${KEY}99`, "aaaaaaab1", "ab1ab1ab1ab2"];
    const redactor = new Redactor(() => secrets.map((value, n) => ({ name: `S${n}`, value })));
    const piece = fc.oneof(fc.constantFrom(...secrets, "a", "ab1", "sk-ant-", "\n"), fc.string({ maxLength: 4 }));
    const longest = Math.max(...secrets.map((value) => value.length));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(40), { maxLength: 12 }), (pieces, cuts) => {
        const whole = pieces.join("");
        const stream = redactor.stream();
        let out = "";
        let at = 0;
        for (const cut of [...cuts, whole.length]) {
          out += stream.push(whole.slice(at, at + cut));
          at += cut;
        }
        const rest = stream.flush();
        expect(rest.length).toBeLessThan(longest);
        expect(out + rest).toBe(redactor.text(whole));
        for (const secret of secrets) expect(out + rest).not.toContain(secret);
      }),
    );
  });

  it("D3 artifacts hold no secret, also when it is cut between two pieces, and all other bytes", async () => {
    const redactor = new Redactor(() => [{ name: "KEY", value: `${KEY}é` }]);
    const store = redactedArtifacts(new MemoryArtifacts(), redactor);
    const writer = store.open("shell");
    const output = Buffer.concat([Buffer.from([0, 255, 128]), Buffer.from(`${KEY}é!${KEY}`)]);
    for (const byte of output) writer.write(Uint8Array.of(byte));
    await writer.close();
    const kept = Buffer.from((await store.read(writer.id))!);
    expect(kept).toEqual(Buffer.concat([Buffer.from([0, 255, 128]), Buffer.from(`[redacted:KEY]!${KEY}`)]));
  });
});
