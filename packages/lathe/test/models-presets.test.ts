// Presets: one name for the models of all jobs; bindings and default efforts of models.yml; entries of providers by name.

import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { clampLevel, isThinkingLevel, Registry } from "@lathe/llm";
import { type Script, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { builtinPresets } from "../src/models/builtin-presets.ts";
import { readModelsFiles } from "../src/models/file.ts";
import { type Bench, bench } from "./models-kit.ts";

let b: Bench;
beforeEach(async () => {
  b = await bench({ script: parentAndChild });
  await b.write("models.yml", models());
});
afterEach(() => b.close());

/** A parent that starts a child of the role that its prompt names, and waits for it. */
const parentAndChild: Script = ({ view, text }) => {
  const role = /child of role (\w+)/.exec(text)?.[1];
  if (role === undefined) return turn.text("ok");
  const results = view.messages.flatMap((message) => message.results);
  if (results.length === 0)
    return turn.calls([{ name: "spawn_agent", args: { task: "greet", model: `lathe/${role}` }, id: "c1" }]);
  if (results.length > 1) return turn.text("all done");
  const { agent_id } = JSON.parse(results[0]?.text ?? "{}") as { agent_id: string };
  return turn.calls([{ name: "wait", args: { agent_id }, id: "c2" }]);
};

const keys = { ONE_KEY: "one", TWO_KEY: "two" };
const full = ["--permission-mode", "full"];

const provider = (id: string, ...ids: string[]): string => `  ${id}:
    baseUrl: ${b.server.baseUrl("chat")}
    api: openai-completions
    apiKeyEnv: ${id.toUpperCase()}_KEY
    models:
${ids.map((model) => `      - { id: ${model}, reasoning: true, thinking: { mode: effort, levels: [low, medium, high] } }\n`).join("")}`;

const models = (more = ""): string => `providers:
${provider("one", "gpt-large", "gpt-mini")}${provider("two", "gpt-judge", "gpt-other")}profiles:
  team:
    required_providers: [one, two]
    model_mapping:
      default: one/gpt-large:low
      critic: two/gpt-judge:xhigh
  partial:
    model_mapping: { smol: two/gpt-other }
${more}`;

/** `key/id effort` of each request. */
const reached = (): string[] =>
  b.modelRequests.map(({ headers, model, body }) =>
    `${String(headers.authorization).replace("Bearer ", "")}/${model} ${body.reasoning_effort ?? ""}`.trim(),
  );

describe("a preset for all jobs", () => {
  it("G-54 parent and critic reach different models with the efforts that these can take", async () => {
    const run = await b.box.run([...full, "--mpreset", "team", "-p", "a child of role critic"], { env: keys });
    expect(run).toMatchObject({ code: 0, stdout: "all done\n" });
    expect(new Set(reached())).toEqual(new Set(["one/gpt-large low", "two/gpt-judge high"]));
  });

  it("G-54 without a key for a provider that it requires nothing runs, and the provider is named", async () => {
    expect(await b.ask(["--mpreset", "team"], { ONE_KEY: "one" })).toMatchObject({
      code: 3,
      stderr: "lathe: The preset team needs two. No credential for two. Set TWO_KEY, or run: lathe login two\n",
    });
    expect(b.modelRequests).toEqual([]);
    expect(await b.ask(["--mpreset", "codex-pro"], keys)).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/needs openai\. No credential for OpenAI\. Set OPENAI_API_KEY/),
    });
  });

  it("G-54 --default keeps it for later starts; one that was only named is for its run", async () => {
    await b.write("config.yml", "model: one/gpt-mini # usual\n");
    await b.ask(["--mpreset", "team"], keys);
    await b.ask([], keys);
    expect(reached()).toEqual(["one/gpt-large low", "one/gpt-mini"]);
    await b.ask(["--mpreset", "team", "--default"], keys);
    await b.ask([], keys);
    expect(reached().slice(2)).toEqual(["one/gpt-large low", "one/gpt-large low"]);
    const config = await readFile(join(b.box.env["LATHE_HOME"] ?? "", "config.yml"), "utf8");
    expect(config).toMatch(/# usual\n(.*\n)*modelProfile:\n +default: team\n/);
    expect(await b.ask([], { ONE_KEY: "one" })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("lathe config unset modelProfile.default"),
    });
    await b.box.run(["config", "unset", "modelProfile.default"]);
    await b.ask([], { ONE_KEY: "one" });
    expect(reached().at(-1)).toBe("one/gpt-mini");
  });

  it("G-54 --default without a preset is refused and changes no file", async () => {
    expect(await b.ask(["--default"], keys)).toMatchObject({
      code: 2,
      stderr: "lathe: --default needs --mpreset <name>.\n",
    });
  });

  it("G-54 options are stronger than the preset, the preset than modelBindings, those than settings", async () => {
    await b.write(
      "config.yml",
      "model: one/gpt-mini\nmodelRoles: { smol: one/gpt-mini, critic: one/gpt-mini, plan: one/gpt-mini:low }\n",
    );
    await b.write(
      "models.yml",
      models(`modelBindings:
  modelRoles: { default: two/gpt-other, smol: two/gpt-judge:low, critic: two/gpt-other }
  agentModelOverrides: { critic: two/gpt-judge:medium, scout: one/gpt-mini:high }
`),
    );
    const ask = async (...args: string[]) => {
      expect(await b.ask(args, keys)).toMatchObject({ code: 0 });
      return reached().at(-1);
    };
    expect(await ask()).toBe("two/gpt-other");
    expect(await ask("--model", "lathe/smol")).toBe("two/gpt-judge low");
    expect(await ask("--model", "lathe/critic")).toBe("two/gpt-judge medium");
    expect(await ask("--model", "lathe/scout")).toBe("one/gpt-mini high");
    expect(await ask("--model", "lathe/planner")).toBe("one/gpt-mini low");
    expect(await ask("--mpreset", "team")).toBe("one/gpt-large low");
    expect(await ask("--mpreset", "team", "--model", "lathe/critic")).toBe("two/gpt-judge high");
    expect(await ask("--mpreset", "team", "--model", "lathe/smol")).toBe("two/gpt-judge low");
    expect(await ask("--mpreset", "partial")).toBe("two/gpt-other");
    expect(await ask("--mpreset", "partial", "--model", "lathe/smol")).toBe("two/gpt-other");
    expect(await ask("--mpreset", "partial", "--smol-model", "one/gpt-large", "--model", "lathe/smol")).toBe(
      "one/gpt-large",
    );
    expect(await ask("--mpreset", "team", "--model", "one/gpt-mini")).toBe("one/gpt-mini");
    expect(await ask("--mpreset", "team", "--thinking", "high")).toBe("one/gpt-large high");
  });

  it("G-54 a continued session goes on with its model, unless this run names a preset", async () => {
    const run = (args: readonly string[]) => b.box.run([...args, "-p", "hi"], { env: keys });
    await run(["--model", "two/gpt-other"]);
    await b.write("config.yml", "modelProfile: { default: team }\n");
    await run(["-c"]);
    expect(reached().at(-1)).toBe("two/gpt-other");
    await run(["-c", "--mpreset", "team"]);
    expect(reached().at(-1)).toBe("one/gpt-large low");
  });

  it.each([
    ["taem", 'There is no preset "taem". Did you mean team? See: lathe models presets'],
    ["__proto__", 'There is no preset "__proto__". See: lathe models presets'],
  ])("G-54 --mpreset %s is refused with the next step", async (name, message) => {
    expect(await b.ask(["--mpreset", name], keys)).toMatchObject({ code: 2, stderr: `lathe: ${message}\n` });
  });

  it("G-54 lathe models presets shows what each needs and gives, the user's own before a built-in one of that name", async () => {
    await b.write("models.yml", `${models()}  grok-pro: { model_mapping: { default: one/gpt-large } }\n`);
    const { stdout } = await b.box.run(["models", "presets"], { env: { ONE_KEY: "one" } });
    expect(stdout).toMatch(/^team +one ✓, two ✗ +default one\/gpt-large:low, critic two\/gpt-judge:high$/m);
    expect(stdout).toMatch(/^grok-pro +default one\/gpt-large$/m);
    expect(stdout).toMatch(/^codex-eco +openai ✗ /m);
    const usable = await b.box.run(["models", "presets", "--usable", "--json"], { env: { XAI_API_KEY: "k" } });
    const names = (JSON.parse(usable.stdout) as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["grok-eco", "grok-medium", "partial"]));
    expect(names).not.toContain("codex-eco");
  });
});

it("G-54 every model of a built-in preset is in the catalog and takes the effort that is asked of it", () => {
  const selectors = Object.values(builtinPresets).flatMap(({ model_mapping }) => Object.values(model_mapping));
  const registry = new Registry({ env: {} });
  expect(selectors.length).toBeGreaterThan(80);
  for (const selector of selectors) {
    const [, provider = "", id = "", effort = ""] = /^([^/]+)\/([^:]+):(\w+)$/.exec(selector) ?? [];
    const model = registry.get(provider, id);
    expect(model?.supportsTools, selector).toBe(true);
    expect(isThinkingLevel(effort) && clampLevel(model?.thinking, effort), selector).toBe(effort);
  }
});

describe("models.yml", () => {
  it("thinking.defaultLevel is asked for when nobody names an effort, and the model's other levels stay known", async () => {
    await b.write(
      "models.yml",
      `${models()}`.replace("levels: [low, medium, high] }", "levels: [low, medium, high], defaultLevel: medium }"),
    );
    const ask = async (...args: string[]) => {
      await b.ask(["--model", ...args], keys);
      return reached().at(-1);
    };
    expect(await ask("one/gpt-large")).toBe("one/gpt-large medium");
    expect(await ask("one/gpt-large:xhigh")).toBe("one/gpt-large high");
    expect(await ask("one/gpt-large", "--thinking", "low")).toBe("one/gpt-large low");
    expect(await ask("one/gpt-mini")).toBe("one/gpt-mini");
    await b.write(
      "models.yml",
      `providers:\n  openai:\n    modelOverrides: { gpt-5.2: { thinking: { defaultLevel: low } } }\n`,
    );
    const openai = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: b.server.baseUrl("openai") };
    await b.ask(["--model", "openai/gpt-5.2"], openai);
    expect(b.modelRequests.at(-1)?.body).toMatchObject({ reasoning: { effort: "low" } });
    await b.ask(["--model", "openai/gpt-5.2:max"], openai);
    expect(b.modelRequests.at(-1)?.body).toMatchObject({ reasoning: { effort: "xhigh" } });
  });

  it.each([
    [
      "profiles: { p: { model_mapping: { default: 'a/b,c/d' } } }",
      "profiles.p.model_mapping.default must be one model",
    ],
    ["profiles: { p: { required_providers: [a] } }", "profiles.p.model_mapping is missing"],
    ["profiles: { p: { model_mapping: { defualt: a/b } } }", "is an unknown role; did you mean default?"],
    ["modelBindings: { modelRoles: { critics: a/b } }", "is an unknown role; did you mean critic?"],
    ["modelBindings: { roles: {} }", "modelBindings.roles is unknown"],
  ])("G-43 %s is told with the place, and the file is ignored", async (text, message) => {
    const file = await b.write("models.yml", `${text}\n`);
    const { config, problems } = await readModelsFiles([{ file, own: true }]);
    expect(config).toEqual({});
    expect(problems).toEqual([expect.stringContaining(message)]);
    expect(problems[0]).toContain("models.yml:1:");
  });
});

describe("a provider by name", () => {
  it("G-54 setup writes the entry with the name of the variable, no secret, and keeps the rest of the file", async () => {
    const file = await b.write("models.yml", "# mine\nproviders:\n");
    const env = { ZAI_API_KEY: "secret-zai", MINIMAX_CODE_API_KEY: "secret-mini" };
    for (const name of ["minimax", "minimax-cn", "glm"])
      expect(await b.box.run(["setup", "provider", "--preset", name], { env })).toMatchObject({ code: 0, stderr: "" });
    const text = await readFile(file, "utf8");
    expect(text).toMatch(/^# mine\n/);
    expect(text).not.toContain("secret");
    for (const name of ["MINIMAX_CODE_API_KEY", "MINIMAX_CODE_CN_API_KEY", "ZAI_API_KEY"])
      expect(text).toContain(`apiKeyEnv: ${name}`);
    const { stdout, stderr } = await b.box.run(["models", "--usable"], { env });
    expect(stderr).toBe("");
    expect(stdout).toContain("glm-proxy/glm-5.2");
    expect(stdout).toContain("minimax-code/MiniMax-M3");
    const again = await b.box.run(["setup", "provider", "--preset", "z-ai"]);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("it was not changed") });
    expect(await readFile(file, "utf8")).toBe(text);
  });

  it.each([
    [["provider"], /^lathe: Use: lathe setup provider --preset <name>/],
    [["provider", "--preset", "nosuch"], /There is no provider preset "nosuch"\. Choose one of: minimax, /],
    [["provider", "--preset", "glm", "key"], /^lathe: Use: /],
  ])("G-54 lathe setup %j is refused with the form", async (args, message) => {
    expect(await b.box.run(["setup", ...args])).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
  });

  it("G-54 without a models.yml, one is made", async () => {
    const home = b.box.env["LATHE_HOME"] ?? "";
    await rm(join(home, "models.yml"));
    expect(await b.box.run(["setup", "provider", "--preset=glm"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Added the provider glm-proxy.*\nSet ZAI_API_KEY, or run: lathe login glm-proxy\n/),
    });
    const { stdout } = await b.box.run(["setup", "provider", "--preset", "glm", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ provider: "glm-proxy", added: false, keyVariable: "ZAI_API_KEY" });
    expect(await readFile(join(home, "models.yml"), "utf8")).toMatch(
      /^# yaml-language-server: \S+\nproviders:\n {2}glm-proxy:\n/,
    );
  });

  it("G-54 a models.yml that cannot be read is told and left alone", async () => {
    const file = await b.write("models.yml", "providers: [\n");
    const run = await b.box.run(["setup", "provider", "--preset", "glm"]);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringMatching(/models\.yml:\d+: not valid YAML/) });
    expect(await readFile(file, "utf8")).toBe("providers: [\n");
  });
});
