import { createHash, generateKeyPairSync, randomBytes, randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { withoutSecretShapes } from "../../base/secrets/secret-shapes.ts";
import { Redactor } from "./redactor.ts";

/**
 * A random text of the given length from an alphabet; assembled here so that no file contains anything that looks like
 * a real key.
 */
const random = (length: number, alphabet: string): string =>
  Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]).join("");
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const UPPER = LOWER.toUpperCase();
const WORD = LOWER + UPPER + DIGITS;
const HEX = "0123456789abcdef";
const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
/** A random text could contain no digits by chance. */
const mixed = (length: number): string => `a7B${random(length - 6, WORD)}x9Z`;

const KEYS: readonly (readonly [kind: string, key: string])[] = [
  ["api-key", `sk-ant-api03-${mixed(80)}-${mixed(12)}AA`],
  ["api-key", `sk-proj-${mixed(60)}_${mixed(40)}`],
  ["api-key", `sk-${mixed(48)}`],
  ["api-key", `sk-or-v1-${random(60, HEX)}a1b2`],
  ["api-key", `gsk_${mixed(52)}`],
  ["api-key", `xai-${mixed(80)}`],
  ["github-token", `ghp_${mixed(36)}`],
  ["github-token", `ghs_${mixed(36)}`],
  ["github-token", `github_pat_${mixed(22)}_${mixed(59)}`],
  ["gitlab-token", `glpat-${mixed(20)}`],
  ["slack-token", `xoxb-${random(12, DIGITS)}-${random(13, DIGITS)}-${mixed(24)}`],
  ["aws-key-id", `AKIA${random(16, UPPER + DIGITS)}`],
  ["google-key", `AIza${random(35, `${WORD}_-`).replace(/.$/, "x")}`],
  ["stripe-key", `sk_live_${mixed(24)}`],
  ["npm-token", `npm_${mixed(36)}`],
  ["pypi-token", `pypi-AgEIcHlwaS5vcmc${mixed(60)}`],
  ["hugging-face-token", `hf_${mixed(34)}`],
  ["sendgrid-key", `SG.${mixed(22)}.${mixed(43)}`],
  ["digital-ocean-token", `dop_v1_${random(64, HEX)}`],
  ["vault-token", `hvs.${mixed(90)}`],
  ["telegram-token", `${`1${random(9, DIGITS)}`}:AA${mixed(33)}`],
  ["json-web-token", `${base64url({ alg: "HS256", typ: "JWT" })}.${base64url({ sub: "1", name: "A" })}.${mixed(43)}`],
];

describe("what looks like a secret", () => {
  it.each(KEYS)("AU-07 a %s is not in what is shared, wherever it stands", (kind, key) => {
    const shown = `[redacted:${kind}]`;
    for (const [before, after] of [
      ["", ""],
      ["use ", " please"],
      ['{"key":"', '"}'],
      ["\\n", "\\n"],
      ["x=", "\n"],
      ["`", "`."],
      ["(", ")"],
    ] as const)
      expect(withoutSecretShapes(`${before}${key}${after}`)).toBe(`${before}${shown}${after}`);
  });

  it.each(["rsa", "ed25519", "ec"] as const)("AU-07 a private key (%s), as text, in JSON, and cut off", (type) => {
    const { privateKey } =
      type === "rsa"
        ? generateKeyPairSync("rsa", { modulusLength: 1024 })
        : type === "ec"
          ? generateKeyPairSync("ec", { namedCurve: "P-256" })
          : generateKeyPairSync("ed25519");
    const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const line = pem.split("\n")[1]!;
    for (const text of [pem, JSON.stringify({ pem }), pem.slice(0, -30), `    ${pem.replaceAll("\n", "\n    ")}`]) {
      expect(withoutSecretShapes(text)).toContain("[redacted:private-key]");
      expect(withoutSecretShapes(text)).not.toContain(line);
    }
    expect(withoutSecretShapes(`${pem}after`)).toBe("[redacted:private-key]\nafter");
  });

  it.each([
    ["Authorization: Bearer ", mixed(40), ""],
    ["curl -H 'authorization: Basic ", Buffer.from("user:pa55w0rd-of-u1").toString("base64"), "' x"],
    ["postgres://app:", "p4ssw0rd-of-db", "@db.internal/app"],
    ["export DEPLOY_TOKEN=", mixed(24), ""],
    ['"CLIENT_SECRET": "', mixed(24), '"'],
    ["aws_secret_access_key = ", mixed(40), ""],
    ["https://", mixed(20), "@host.example/repo.git"],
    ["git clone https://", mixed(24), ":x-oauth-basic@github.com/a/b"],
    ["https://oauth2:", mixed(20), "@gitlab.com/a/b.git"],
    ["//packages.example/:_authToken=", mixed(36), ""],
    ["_authToken = ", mixed(36), ""],
    ['{"password": "', "hunter", '"}'],
    ['{"password":"', "tr0ub4dor&3", '"}'],
    ['{\\"password\\": \\"', "correct-horse", '\\"}'],
    ["'db_password': '", "s3cr3t", "'"],
    ["DbPassword: '", "s3cr3t", "'"],
    ["password=", "hunter2", ""],
    ["mysql --password=", "hunter2x", " app"],
    ["POST /login?user=a&password=", "hunter22", "&remember=1"],
    ["passphrase: ", "wint3r-is-c0ming", ""],
    ['accessToken: "', mixed(32), '"'],
  ])("AU-07 %s… is followed by a secret, which alone is replaced", (before, secret, after) => {
    const [start, end] = withoutSecretShapes(before + secret + after).split(/\[redacted:[a-z-]+\]/);
    expect([start, end]).toEqual([before, after]);
  });

  it("AU-07 hashes, ids, pictures and ordinary code stay as they are", () => {
    const sha = (of: string): string => createHash("sha256").update(of).digest("hex");
    const plain = [
      createHash("sha1").update("x").digest("hex"),
      sha("a"),
      `index ${sha("b").slice(0, 7)}..${sha("c").slice(0, 7)} 100644`,
      randomUUID(),
      `"integrity": "sha512-${createHash("sha512").update("x").digest("base64")}"`,
      `data:image/png;base64,${randomBytes(300_000).toString("base64")}`,
      randomBytes(300_000).toString("base64url"),
      '<div class="sk-fading-circle-dot-before sk-chasing-dots-of-twelve">',
      "const token = process.env.GITHUB_TOKEN ?? readToken(TOKEN_FILE);",
      "MAX_TOKENS=200000 API_KEY=your-api-key-goes-here-1 TOKEN=$GITHUB_TOKEN SECRET=<secret>",
      "interface Login { user: string; password: string; passphrase?: string }",
      "password: z.string().min(8), confirmPassword: z.string()",
      "const { password } = body; login(user, password); form.password = form2.password1;",
      'label: { password: "Password", "new-password": "new-password", "password": "required" }',
      '<input type="password" name="password" placeholder="Password"> The password: at least 8 characters.',
      '"password": { "type": "string" }, "password": "", "password": "string", "password": null, password=$PASSWORD',
      'password = os.environ["DB_PASSWORD"]; "password": "DB_PASSWORD"; password: {{ secrets.DB1_PASSWORD }}',
      "token = session.v1beta1.token2; const tokens = countTokens(text1234567890);",
      "ssh://git@host.example/a https://deploy@host.example",
      "https://user@host.example/path http://localhost:8080/a@b git@github.com:a/b.git",
      "postgres://postgres:postgres@localhost:5432/test",
      "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
      "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
      "session 2026-01-02T03-04-05-678Z_0195f0c2-7c7e-7d3a-9a51-3f8b2f6f0a11",
      "task-list-of-things-to-do-2024-01-01-and-more risk-assessment-2024-report-final",
    ];
    for (const text of plain) expect(withoutSecretShapes(text)).toBe(text);
  });

  it("AU-07 a password in a field of data is not in what is shared", () => {
    const data = {
      user: "me",
      password: "hunter",
      deep: [{ db_password: "x9", dbPassword: "pass phrase with words" }],
    };
    expect(new Redactor().redactForSharing(data)).toEqual({ ...data, password: "[redacted:password]" });
  });

  it("AU-07 of what a session works with only known values are replaced: a key that a test needs stays usable", () => {
    const [, key] = KEYS[0]!;
    const redactor = new Redactor();
    expect(redactor.value({ text: key })).toEqual({ text: key });
    expect(redactor.redactForSharing({ text: key, n: 1 })).toEqual({ text: "[redacted:api-key]", n: 1 });
  });
});
