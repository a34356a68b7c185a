import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Bench, bench } from "./models-kit.ts";

let b: Bench;
beforeEach(async () => {
  b = await bench();
  await b.write("config.yml", "auth: { keyring: false }\n");
});
afterEach(() => b.close());

const authFile = (): string => join(b.box.env["LATHE_HOME"] ?? "", "auth.json");
const store = (entries: object): Promise<void> => writeFile(authFile(), JSON.stringify(entries));

describe("which credential goes out", () => {
  it("G-49 AU-01 --api-key, stored key, stored sign-in, environment, models.yml: removed one by one", async () => {
    await b.write(
      "models.yml",
      `providers:\n  openai:\n    baseUrl: ${b.server.baseUrl("openai")}\n    apiKey: from-file\n`,
    );
    const env = { OPENAI_API_KEY: "from-env" };
    const oauth = { type: "oauth", access: "from-sign-in", expires: Date.now() + 3_600_000 };
    const model = ["--model", "openai/gpt-5.2"];
    const status = async (extra: Record<string, string>) =>
      (await b.box.run(["auth", "status", "openai"], { env: extra })).stdout;

    await store({ openai: { type: "api_key", key: "from-store" } });
    await b.ask([...model, "--api-key", "from-option"], env);
    await b.ask(model, env);
    expect(await status(env)).toBe("openai  stored key, before $OPENAI_API_KEY\n");
    await store({ openai: oauth });
    await b.ask(model, env);
    expect(await status(env)).toBe("openai  signed in, before $OPENAI_API_KEY\n");
    await b.box.run(["logout", "openai"]);
    await b.ask(model, env);
    expect(await status(env)).toBe("openai  $OPENAI_API_KEY\n");
    await b.ask(model);
    expect(await status({})).toBe("openai  models.yml\n");

    const names = ["option", "store", "sign-in", "env", "file"];
    expect(b.modelRequests.map(({ headers }) => headers.authorization)).toEqual(
      names.map((name) => `Bearer from-${name}`),
    );

    await b.write("models.yml", `providers:\n  openai:\n    baseUrl: ${b.server.baseUrl("openai")}\n`);
    expect(await b.ask(model)).toMatchObject({
      code: 3,
      stderr: "lathe: No credential for OpenAI. Set OPENAI_API_KEY, or run: lathe login openai\n",
    });
    expect(await status({})).toBe("openai  none; run: lathe login openai\n");
  });

  it("LS-06 Anthropic: the OAuth token before the key, custom headers at a foreign host", async () => {
    const env = {
      ANTHROPIC_OAUTH_TOKEN: "token",
      ANTHROPIC_API_KEY: "key",
      ANTHROPIC_BASE_URL: b.server.baseUrl("anthropic"),
      ANTHROPIC_CUSTOM_HEADERS: "X-One: 1, X-Two: 2",
    };
    expect(await b.ask(["--model", "anthropic/claude-sonnet-4-5"], env)).toMatchObject({ code: 0 });
    const [request] = b.modelRequests;
    expect(request?.headers).toMatchObject({ authorization: "Bearer token", "x-one": "1", "x-two": "2" });
    expect(request?.headers["x-api-key"]).toBeUndefined();
  });

  it("LS-06 Foundry mode: its own host and key first, then the others", async () => {
    const env = {
      CLAUDE_CODE_USE_FOUNDRY: "yes",
      FOUNDRY_BASE_URL: b.server.baseUrl("anthropic"),
      ANTHROPIC_FOUNDRY_API_KEY: "foundry",
      ANTHROPIC_API_KEY: "key",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
    };
    await b.ask(["--model", "anthropic/claude-sonnet-4-5"], env);
    await b.ask(["--model", "anthropic/claude-sonnet-4-5"], { ...env, ANTHROPIC_FOUNDRY_API_KEY: "" });
    expect(b.modelRequests.map(({ headers }) => headers.authorization ?? headers["x-api-key"])).toEqual([
      "Bearer foundry",
      "key",
    ]);
  });

  it("G-49 two names for one key: the first that is set", async () => {
    const env = { HUGGINGFACE_HUB_TOKEN: "hub", HF_TOKEN: "hf", HUGGINGFACE_BASE_URL: b.server.baseUrl("chat") };
    await b.ask(["--model", "huggingface/some-model"], env);
    await b.ask(["--model", "huggingface/some-model"], { ...env, HUGGINGFACE_HUB_TOKEN: "" });
    expect(b.modelRequests.map(({ headers }) => headers.authorization)).toEqual(["Bearer hub", "Bearer hf"]);
  });
});

describe("login, logout, auth status", () => {
  it("AU-01 a key from stdin is kept for its owner only, used, shown by its place and forgotten", async () => {
    const login = await b.box.run(["login", "openai"], { stdin: "sk-piped\n" });
    expect(login).toMatchObject({ code: 0, stdout: "Stored for OpenAI in the credentials file.\n" });
    expect((await stat(authFile())).mode & 0o777).toBe(0o600);
    await b.ask(["--model", "openai/gpt-5.2"], { OPENAI_BASE_URL: b.server.baseUrl("openai") });
    expect(b.modelRequests[0]?.headers.authorization).toBe("Bearer sk-piped");
    const status = await b.box.run(["auth", "status"]);
    expect(status).toMatchObject({ stdout: "openai  stored key\n", stderr: "" });
    const hiding = await b.box.run(["auth", "status"], { env: { OPENAI_API_KEY: "new" } });
    expect(hiding.stdout).toBe("openai  stored key, before $OPENAI_API_KEY\n");
    await chmod(authFile(), 0o644);
    expect((await b.box.run(["auth", "status"])).stderr).toBe(
      `lathe: Others can read ${authFile()}. Run: chmod 600 ${authFile()}\n`,
    );
    expect(await b.box.run(["logout", "openai"])).toMatchObject({ stdout: "Deleted the credential of OpenAI.\n" });
    expect(await readFile(authFile(), "utf8")).not.toContain("sk-piped");
    expect(await b.box.run(["logout", "openai"])).toMatchObject({
      code: 0,
      stdout: "Nothing was stored for OpenAI.\n",
    });
  });

  it.each([
    [["login"], "Name a provider: lathe login <provider>, for example anthropic, openai or gemini."],
    [["login", "opnai"], 'Unknown provider "opnai". Did you mean openai?'],
    [["login", "openai"], "No key given. Pipe it in: lathe login openai < key.txt"],
    [["auth", "statsu"], 'Unknown command "lathe auth statsu". Use: lathe auth status'],
    [["auth", "status", "nobody"], 'Unknown provider "nobody". See: lathe models'],
  ])("%j is refused with the next step", async (args, message) => {
    expect(await b.box.run(args)).toMatchObject({ code: 2, stderr: `lathe: ${message}\n` });
  });

  it("an expired sign-in says what to run, in the status and in a run", async () => {
    await store({ openai: { type: "oauth", access: "old", expires: 1 } });
    const { stdout } = await b.box.run(["auth", "status"]);
    expect(stdout).toBe("openai  signed in, expired; run: lathe login openai\n");
    expect(await b.ask(["--model", "openai/gpt-5.2"])).toMatchObject({
      code: 3,
      stderr: "lathe: The sign-in for openai has expired. Run: lathe login openai\n",
    });
  });
});
