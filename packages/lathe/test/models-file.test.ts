import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { oauthRows } from "../src/config/credentials/oauth/rows.ts";
import { readModelsFiles } from "../src/models/file.ts";
import { type Bench, bench } from "./models-kit.ts";

let b: Bench;
beforeEach(async () => {
  b = await bench();
});
afterEach(() => b.close());

const acme = (more = "", model = ""): string => `providers:
  acme:
    baseUrl: ${b.server.baseUrl("chat")}
    api: openai-completions
    apiKey: acme-key
${more}    models:
      - id: small
        contextWindow: 8000
        maxTokens: 2000
${model}`;

describe("models.yml through the command", () => {
  it("G-43 a broken file is one line that names file, line and key; the built-in models stay; mended, its model appears", async () => {
    const file = await b.write("models.yml", acme("    wobble: 1\n"));
    const broken = await b.box.run(["--list-models"]);
    expect(broken.stderr).toBe(
      `lathe: ${file}:6: providers.acme.wobble is unknown. The file is ignored; the built-in models still work.\n`,
    );
    expect(broken.stdout).toContain("openai/gpt-5.2");
    expect(broken.stdout).not.toContain("acme/small");
    expect(broken.code).toBe(0);

    await b.write("models.yml", acme());
    const mended = await b.box.run(["models", "acme/*"]);
    expect(mended).toMatchObject({ code: 0, stderr: "" });
    expect(mended.stdout).toMatch(/acme\/small +8k +2k .*models\.yml/);
    expect((await b.ask(["--model", "acme/small"])).stdout).toBe("ok\n");
    expect(b.modelRequests[0]).toMatchObject({ dialect: "chat", model: "small" });
    expect(b.modelRequests[0]?.headers.authorization).toBe("Bearer acme-key");
  });

  it("G-43 a models.json alone becomes models.yml once, and is not used any more", async () => {
    const provider = (id: string) => ({
      providers: {
        acme: { baseUrl: "http://127.0.0.1:9/v1", api: "openai-completions", apiKey: "k", models: [{ id }] },
      },
    });
    const json = await b.write("models.json", JSON.stringify(provider("from-json")));
    const first = await b.box.run(["models", "acme/*"]);
    expect(first.stdout).toContain("acme/from-json");
    expect(first.stderr).toContain("models.json is now models.yml");
    expect(await readFile(json.replace(/json$/, "yml"), "utf8")).toContain("id: from-json");
    await expect(readFile(json)).rejects.toThrow("ENOENT");
    await b.write("models.json", JSON.stringify(provider("ignored")));
    const second = await b.box.run(["models", "acme/*"]);
    expect(second).toMatchObject({ stdout: first.stdout, stderr: "" });

    await rm(json.replace(/json$/, "yml"));
    await b.write("models.json", "{broken");
    const broken = await b.box.run(["models", "sonnet"]);
    expect(broken).toMatchObject({ code: 0, stderr: expect.stringContaining("cannot be converted") });
  });

  it("G-43 a project's file counts only in a trusted folder, and may not bring a command", async () => {
    await mkdir(join(b.box.dir, ".lathe"));
    const file = join(b.box.dir, ".lathe/models.yml");
    await writeFile(file, acme());
    const stranger = await b.ask(["--model", "acme/small"]);
    expect(stranger).toMatchObject({ code: 2 });
    expect(stranger.stderr).toContain("ignored: .lathe/models.yml");
    expect(stranger.stderr).toContain('Unknown provider "acme"');

    await b.box.run(["trust"]);
    expect(await b.ask(["--model", "acme/small"])).toMatchObject({ code: 0, stdout: "ok\n", stderr: "" });

    await writeFile(file, acme().replace("apiKey: acme-key", `apiKey: "!touch ${join(b.box.dir, "ran")}"`));
    expect((await b.box.run(["models", "acme"])).stderr).toContain("New or changed since this folder was trusted");
    await b.box.run(["trust"]);
    const { stderr } = await b.box.run(["models", "acme"]);
    expect(stderr).toContain(
      `${file}:5: providers.acme.apiKey is a command, which is allowed only in your own models.yml`,
    );
  });

  it("G-45 a built-in provider is sent elsewhere with headers; a model's header beats the provider's", async () => {
    const provider = `providers:
  openai:
    baseUrl: ${b.server.baseUrl("openai")}
    headers: { X-Team: everyone, X-Site: hq }
    modelOverrides:
      gpt-5.2: { headers: { X-Team: mine }, name: Our five }
`;
    await b.write("models.yml", provider);
    const env = { OPENAI_API_KEY: "k" };
    await b.ask(["--model", "openai/gpt-5.2"], env);
    await b.ask(["--model", "openai/gpt-5.1"], env);
    expect(b.modelRequests.map(({ headers }) => [headers["x-team"], headers["x-site"]])).toEqual([
      ["mine", "hq"],
      ["everyone", "hq"],
    ]);
    const listed = JSON.parse((await b.box.run(["models", "openai/gpt-5.2", "--json"], { env })).stdout);
    expect(listed[0]).toMatchObject({ name: "Our five", available: true, credential: "$OPENAI_API_KEY" });
  });

  it("G-44 G-45 a built-in provider gets a further model without saying its address, API and key again", async () => {
    await b.write(
      "models.yml",
      "providers:\n  openai:\n    models:\n      - id: gpt-next\n        contextWindow: 900000\n",
    );
    const env = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: b.server.baseUrl("openai") };
    const { stdout, stderr } = await b.box.run(["models", "openai/*"], { env });
    expect(stderr).toBe("");
    expect(stdout).toMatch(/openai\/gpt-next +900k .*\$OPENAI_API_KEY/);
    expect(stdout).toContain("openai/gpt-5.2");
    expect(await b.ask(["--model", "openai/gpt-next"], env)).toMatchObject({ code: 0, stdout: "ok\n" });
    expect(b.modelRequests.at(-1)).toMatchObject({ dialect: "responses", model: "gpt-next" });
  });

  it("G-57 the request transform works on the wire only: headers, protected body fields, another id", async () => {
    const transform = `    requestTransform:
      profile: openai-proxy
      setHeaders: { X-Proxy: "yes", User-Agent: null }
      extraBody: { model: other, user: team }
`;
    await b.write("models.yml", acme(transform, "        wireModelId: acme-2026-small\n"));
    const run = await b.box.run(["--model", "acme/small", "--mode", "json", "-p", "hi"]);
    const [request] = b.modelRequests;
    expect(request?.body).toMatchObject({ model: "acme-2026-small", user: "team" });
    expect(request?.headers["x-proxy"]).toBe("yes");
    expect(Object.keys(request?.headers ?? {}).filter((name) => name.startsWith("x-stainless"))).toEqual([]);
    expect(request?.headers["user-agent"]).toBeUndefined();
    expect(run.stdout).not.toContain("acme-2026-small");
    expect((await b.box.run(["models", "acme"])).stdout).toContain("acme/small");
  });

  it("G-58 cache retention: model, then provider, then setting, then environment; not for longer at a foreign host", async () => {
    const at = (provider: string, model: string) => `providers:
  openai:
    baseUrl: ${b.server.baseUrl("openai")}
${provider}    modelOverrides:
      gpt-5.2: { name: five${model} }
`;
    const env = { OPENAI_API_KEY: "k", LATHE_CACHE_RETENTION: "long" };
    const retention = async (file: string, extra: Record<string, string> = env) => {
      await b.write("models.yml", file);
      await b.ask(["--model", "openai/gpt-5.2"], extra);
      return b.modelRequests.at(-1)?.body.prompt_cache_retention;
    };
    expect(await retention(at("", ""), { OPENAI_API_KEY: "k" })).toBeUndefined();
    expect(await retention(at("", ""))).toBe("24h");
    await b.write("config.yml", "cacheRetention: short\n");
    expect(await retention(at("", ""))).toBeUndefined();
    expect(await retention(at("    cacheRetention: long\n", ""))).toBe("24h");
    expect(await retention(at("    cacheRetention: long\n", ", cacheRetention: short"))).toBeUndefined();

    const anthropic = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: b.server.baseUrl("anthropic") };
    await b.write("models.yml", "providers:\n  anthropic:\n    cacheRetention: long\n    compat: {}\n");
    await b.ask(["--model", "anthropic/claude-sonnet-4-5"], anthropic);
    expect(b.modelRequests.at(-1)?.text).toContain('"ephemeral"');
    expect(b.modelRequests.at(-1)?.text).not.toContain('"1h"');
  });

  it("CF-04 a key may be a variable's name or a command of the user's own file", async () => {
    await b.write("models.yml", acme().replace("acme-key", `"!echo x >> ${join(b.box.dir, "runs")}; printf abc"`));
    expect(await b.ask(["--model", "acme/small", "-p", "again"])).toMatchObject({ code: 0 });
    expect(await readFile(join(b.box.dir, "runs"), "utf8")).toBe("x\n");
    await b.write("models.yml", acme().replace("acme-key", "ACME_SECRET"));
    await b.ask(["--model", "acme/small"], { ACME_SECRET: "from-env" });
    expect(b.modelRequests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer abc",
      "Bearer abc",
      "Bearer from-env",
    ]);

    await b.write("models.yml", acme().replace("acme-key", '"!exit 3"'));
    const failed = await b.ask(["--model", "acme/small"]);
    expect(failed.code).toBe(3);
    expect(failed.stderr).toBe("lathe: The key command ended with code 3. Try it in a shell: exit 3\n");

    await b.write("models.yml", acme().replace("acme-key", "\"!printf 'abc\\\\nlogin: me'\""));
    const notes = await b.ask(["--model", "acme/small"]);
    expect(notes).toMatchObject({ code: 3, stderr: expect.stringContaining("printed more than the key") });
  });
});

describe("docs/models.md", () => {
  it("its examples of models.yml and oauth.yml are right", async () => {
    const page = await readFile(fileURLToPath(new URL("../../../docs/models.md", import.meta.url)), "utf8");
    const example = (mark: string): string =>
      [...page.matchAll(/```yaml[^\n]*\n([\s\S]*?)```/g)]
        .map(([, text]) => text ?? "")
        .find((text) => text.includes(mark)) ?? "";
    const file = await b.write("models.yml", example("providers:\n  acme"));
    const { problems, config } = await readModelsFiles([{ file, own: true }]);
    expect(problems).toEqual([]);
    expect(Object.keys(config.providers ?? {})).toEqual(["acme", "openai", "lab"]);
    await b.write("oauth.yml", example("tokenUrl"));
    expect((await oauthRows(join(file, "..")))[0]).toMatchObject({
      provider: "acme",
      label: "Acme",
      clientId: "lathe",
    });
  });
});

describe("the file itself", () => {
  const read = async (text: string) => {
    const file = join(await mkdtemp(join(tmpdir(), "lathe-models-")), "models.yml");
    await writeFile(file, text);
    const { problems, config } = await readModelsFiles([{ file, own: true }]);
    return { config, problem: problems[0]?.replace(`${file}:`, "").split(". The file")[0] };
  };
  const provider = (lines: string): string => `providers:\n  p:\n${lines.replace(/^/gm, "    ")}\n`;

  it.each([
    ["- 1\n", "1: the file must be an object, not a list"],
    ["provider: {}\n", "1: provider is unknown; did you mean providers?"],
    [provider("base_url: http://h"), "3: providers.p.base_url is unknown; did you mean baseUrl?"],
    [provider("baseUrl: http://h\napiKey: !pass show p"), '4: not valid YAML: write "!pass show p" in quotes'],
    [provider("headers: {X-Team: *team*}"), '3: not valid YAML: write "*team*" in quotes'],
    [
      "providers:\n  practice:\n    baseUrl: http://h\n",
      "2: providers.practice is a name that Lathe reserves; choose another",
    ],
    [
      "providers:\n  a/b:\n    baseUrl: http://h\n",
      /^2: providers\.a\/b is not a provider's name: it cannot contain \/ : or spaces/,
    ],
    [provider("api: soap"), /^3: providers\.p\.api must be one of openai-completions/],
    [provider("baseUrl: 7"), "3: providers.p.baseUrl must be a non-empty string, not 7"],
    [provider("auth: none"), /^2: providers\.p must set one of .* when it has no models/],
    [
      provider("api: openai-completions\napiKey: K\nmodels: [{id: m}]"),
      "2: providers.p.baseUrl is required with models",
    ],
    [
      provider("baseUrl: http://h\napi: openai-completions\nmodels: [{id: m}]"),
      "2: providers.p.apiKey is required with models; set apiKey, apiKeyEnv or auth: none",
    ],
    [
      provider("baseUrl: http://h\napiKey: K\nmodels:\n  - id: a\n    name: b"),
      "6: providers.p.models[0].api is required here or at the provider",
    ],
    [
      provider("baseUrl: http://h\napi: ollama-chat\nauth: none\nmodels:\n  - id: a\n  - id: b\n    contextWindow: 0"),
      "9: providers.p.models[1].contextWindow must be a number above 0, not 0",
    ],
    [
      "providers:\n  llama.cpp:\n    modelOverrides:\n      qwen3.5:\n        reasonning: true\n",
      '5: providers["llama.cpp"].modelOverrides["qwen3.5"].reasonning is unknown; did you mean reasoning?',
    ],
    ["providers: [\n", /^\d+: not valid YAML/],
  ])("G-44 refuses %j with the place", async (text, expected) => {
    const { problem } = await read(text);
    if (typeof expected === "string") expect(problem).toBe(expected);
    else expect(problem).toMatch(expected);
  });

  it("an empty section, as with all of it commented out, is no mistake", async () => {
    expect(await read("providers:\n  # acme:\nequivalence:\n")).toEqual({
      config: {
        providers: {},
        equivalence: { overrides: {}, exclude: [] },
        profiles: {},
        modelBindings: { modelRoles: {}, agentModelOverrides: {} },
      },
      problem: undefined,
    });
  });

  it.each([
    [provider("baseUrl: http://h")],
    [provider("baseUrl: http://h\napi: openai-completions\nauth: none\nmodels: [{id: m}]")],
    [provider("api: openai-completions\nbaseUrl: http://h\ndiscovery: {type: ollama}")],
  ])("G-44 takes the minimal %j", async (text) => {
    const { problem, config } = await read(text);
    expect(problem).toBeUndefined();
    expect(config.providers).toHaveProperty("p");
  });
});
