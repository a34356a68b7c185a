import fc from "fast-check";
import { expect, it } from "vitest";
import { isSecretName } from "../../base/secrets/variables.ts";
import { LocalEnvironment } from "../env/local.ts";
import { commandEnv, type EnvPolicy, withheldNames } from "./env-policy.ts";
import { Processes } from "./processes.ts";
import { shellArgv } from "./shell-argv.ts";

const BASE = {
  PATH: "/usr/bin:/bin",
  HOME: "/home/u",
  LANG: "C.UTF-8",
  CARGO_HOME: "/cargo",
  EDITOR: "vi",
  my_api_key: "k1",
  OPENAI_API_KEY: "k2",
  GITHUB_TOKEN: "k3",
  DB_PASSWORD: "k4",
  AWS_CREDENTIALS: "k5",
  TOKEN: "k6",
  Client_Secret: "k7",
  TOKENIZERS_PARALLELISM: "false",
  CI: "1",
  https_proxy: "http://proxy:3128",
  NO_PROXY: "localhost",
  LC_TIME: "C",
  SSH_AUTH_SOCK: "/run/agent",
  UNSET: undefined,
};

const CORE = ["CARGO_HOME", "CI", "HOME", "LANG", "LC_TIME", "NO_PROXY", "PATH", "SSH_AUTH_SOCK", "https_proxy"];

/** Names that people use for keys and passwords. */
const SECRETS = (
  "ANTHROPIC_API_KEY OPENAI_APIKEY PGPASSWORD MYSQL_PWD SENTRY_DSN AZURE_KEY " +
  "STRIPE_KEYS GH_PAT ANTHROPIC_CUSTOM_HEADERS AWS_SECRET_ACCESS_KEY NPM_TOKEN npm_config__auth SESSION_COOKIE " +
  "SLACK_WEBHOOK_URL AZURE_STORAGE_CONNECTION_STRING GOOGLE_APPLICATION_CREDENTIALS DB_PASS SSH_PASSPHRASE TLS_PRIVATE_KEY " +
  "CLIENT_SECRETS CI_JOB_TOKEN"
).split(" ");

const CASES: Record<EnvPolicy, string[]> = {
  filtered: [...CORE, "EDITOR", "TOKENIZERS_PARALLELISM"].sort(),
  inherit_all: Object.keys(BASE)
    .filter((name) => name !== "UNSET")
    .sort(),
  inherit_core: CORE,
  inherit_none: [],
};

it.each(Object.entries(CASES) as [EnvPolicy, string[]][])(
  "EE-03 D-024 a child under %s sees exactly what it should",
  async (policy, expected) => {
    const processes = new Processes();
    const env = commandEnv(BASE, { policy });
    const { stdout } = await processes.run({ argv: shellArgv("/usr/bin/env"), cwd: "/", env, timeoutMs: 60_000 });
    await processes.cleanup();
    const own = ["_", "PWD", "SHLVL", "LATHE_OWNER", "LATHE_COMMAND"];
    const names = stdout
      .split("\n")
      .filter((line) => line.includes("="))
      .map((line) => line.slice(0, line.indexOf("=")));
    // Bash sets a PATH only if it has none.
    expect(names.filter((name) => !own.includes(name)).sort()).toEqual(expected);
  },
);

it("EE-03 variables named by the call win over every policy", () => {
  for (const policy of Object.keys(CASES) as EnvPolicy[]) {
    const env = commandEnv(BASE, { policy }, { GITHUB_TOKEN: "given", PATH: "/own", NOT: undefined });
    expect(env).toMatchObject({ GITHUB_TOKEN: "given", PATH: "/own" });
    expect("NOT" in env).toBe(false);
  }
});

it("EE-03 no name with a secret ending passes the filter, whatever stands before it and in whatever case", () => {
  const ending = fc.constantFrom(
    ...["API_KEY", "SECRET", "TOKEN", "PASSWORD", "CREDENTIAL", "CREDENTIALS"],
    ...["SECRET_ACCESS_KEY", "SECRET_KEY", "PRIVATE_KEY", "PASSWD", "PASSPHRASE"],
  );
  const cased = (text: string) => fc.constantFrom(text, text.toLowerCase());
  const prefix = fc.oneof(fc.constant(""), fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,8}_$/));
  fc.assert(
    fc.property(prefix, ending.chain(cased), (start, end) => {
      expect(commandEnv({ [start + end]: "x" }, { policy: "filtered" })).toEqual({});
    }),
  );
});

it("EE-03 D3 of 21 variables that hold secrets none reaches a command of an environment with default settings", async () => {
  const baseEnv = { PATH: BASE.PATH, ...Object.fromEntries(SECRETS.map((name) => [name, `secret-${name}`])) };
  const env = new LocalEnvironment({ cwd: "/", baseEnv });
  const { stdout } = await env.execCommand("/usr/bin/env", 10_000);
  await env.cleanup();
  expect(stdout).toContain("PATH=");
  expect(stdout).not.toContain("secret-");
  expect(SECRETS.filter((name) => !isSecretName(name))).toEqual([]);
});

it("EE-03 names and patterns that are passed on reach commands; the rest is withheld and can be listed", async () => {
  const rules = { policy: "inherit_core", pass: ["GITHUB_TOKEN", "DB_*", "*_SECRET", "a.b"] } as const;
  const names = Object.keys(commandEnv({ ...BASE, a_b: "x" }, rules));
  expect(names.filter((name) => !CORE.includes(name)).sort()).toEqual(["DB_PASSWORD", "GITHUB_TOKEN"]);
  const withheld = withheldNames({ ...BASE, PWD: "/", SHLVL: "1", _: "/usr/bin/env" }, rules);
  expect(withheld).toEqual(
    [
      "AWS_CREDENTIALS",
      "Client_Secret",
      "EDITOR",
      "OPENAI_API_KEY",
      "TOKEN",
      "TOKENIZERS_PARALLELISM",
      "my_api_key",
    ].sort(),
  );
  const env = new LocalEnvironment({ cwd: "/", baseEnv: BASE, envPolicy: rules.policy, envPass: rules.pass });
  expect((await env.execCommand("echo $DB_PASSWORD$EDITOR", 10_000)).stdout).toBe("k4\n");
  await env.cleanup();
});

const KEY = "a1B2c3D4e5F6g7H8i9J0".repeat(2);

it.each([
  "postgres://app:s3cret@db.internal/app",
  "postgres://app:p@ss/w0rd@db.internal:5432/app",
  "mongodb://u:pw@127.0.0.1:27017,10.0.0.2:27017/app",
  "redis://:pw@cache.internal:6379",
  "http://me:pw@proxy.internal:3128",
  "jdbc:postgresql://db.internal/app?user=u&password=pw",
  "Server=db.internal;User=u;Pwd=pw",
  `sk-ant-api03-${KEY}`,
  `ghp_${KEY.slice(0, 36)}`,
  "AKIAIOSFODNN7EXAMPLE",
  `-----BEGIN PRIVATE KEY-----\n${KEY}\n-----END PRIVATE KEY-----`,
  `--header "Authorization: Bearer ${KEY}"`,
])("EE-03 a value that looks like a secret is withheld whatever its name is: %s", (value) => {
  const base = { HARMLESS: value, https_proxy: value };
  expect(commandEnv(base, { policy: "filtered" })).toEqual({});
  expect(withheldNames(base, { policy: "filtered" })).toEqual(["HARMLESS", "https_proxy"]);
});

it("EE-03 what programs need passes: addresses without a password, or of this machine, profiles, versions, paths", () => {
  const base = {
    DATABASE_URL: "postgres://app:s3cret@localhost:5432/app",
    REDIS_URL: "redis://:pw@127.0.0.1:6379",
    MONGO_URL: "mongodb://u:pw@[::1]:1,localhost:2/x",
    JDBC: "jdbc:postgresql://localhost/app?user=u&password=pw",
    HOMEPAGE: "https://example.com:8080/@scope/name",
    GIT_URL: "ssh://git@example.com/x.git",
    RAILS_ENV: "test",
    PGHOST: "db.internal",
    AWS_PROFILE: "staging",
    EDITOR: "vim -u NONE",
    SHA: "6b7cd83ad9a3a8d1f0b7fd2b9f10a8a3c6e1f0aa",
    https_proxy: "http://proxy.internal:3128",
  };
  expect(commandEnv(base, { policy: "filtered" })).toEqual(base);
});

it("EE-03 a command that the user typed sees every variable", async () => {
  const env = new LocalEnvironment({ cwd: "/", baseEnv: { PATH: BASE.PATH, GITHUB_TOKEN: "k3" } });
  expect((await env.execCommand("echo $GITHUB_TOKEN", 10_000)).stdout).toBe("\n");
  expect((await env.execCommand("echo $GITHUB_TOKEN", 10_000, { isUsers: true })).stdout).toBe("k3\n");
  await env.cleanup();
});
