import fc from "fast-check";
import { expect, it } from "vitest";
import { commandEnv, type EnvPolicy } from "./env-policy.ts";
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
  UNSET: undefined,
};

const CASES: Record<EnvPolicy, string[]> = {
  filtered: ["CARGO_HOME", "EDITOR", "HOME", "LANG", "PATH", "TOKENIZERS_PARALLELISM"],
  inherit_all: Object.keys(BASE)
    .filter((name) => name !== "UNSET")
    .sort(),
  inherit_core: ["CARGO_HOME", "HOME", "LANG", "PATH"],
  inherit_none: [],
};

it.each(Object.entries(CASES) as [EnvPolicy, string[]][])(
  "EE-03 D-024 a child under %s sees exactly what it should",
  async (policy, expected) => {
    const processes = new Processes();
    const env = commandEnv(BASE, policy);
    const { stdout } = await processes.run({ argv: shellArgv("/usr/bin/env"), cwd: "/", env, timeoutMs: 10_000 });
    await processes.cleanup();
    const own = ["_", "PWD", "SHLVL", "LATHE_OWNER", "LATHE_COMMAND"];
    const names = stdout
      .split("\n")
      .filter((line) => line.includes("="))
      .map((line) => line.slice(0, line.indexOf("=")));
    // Bash gives itself a PATH only when it has none.
    expect(names.filter((name) => !own.includes(name)).sort()).toEqual(expected);
  },
);

it("EE-03 variables named by the call win over every policy", () => {
  for (const policy of Object.keys(CASES) as EnvPolicy[]) {
    const env = commandEnv(BASE, policy, { GITHUB_TOKEN: "given", PATH: "/own", NOT: undefined });
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
      expect(commandEnv({ [start + end]: "x" }, "filtered")).toEqual({});
    }),
  );
});
