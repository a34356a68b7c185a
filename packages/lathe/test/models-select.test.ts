import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Bench, bench } from "./models-kit.ts";

let b: Bench;
beforeEach(async () => {
  b = await bench();
  await b.write("models.yml", twoProviders());
});
afterEach(() => b.close());

const twoProviders = (more = ""): string => `providers:
  one:
    baseUrl: ${b.server.baseUrl("chat")}
    api: openai-completions
    apiKeyEnv: ONE_KEY
    models:
      - id: x/claude-sonnet-4.6
      - id: alpha-large
        reasoning: true
        thinking: { mode: effort, levels: [low, medium, high] }
  two:
    baseUrl: ${b.server.baseUrl("chat")}
    api: openai-completions
    apiKeyEnv: TWO_KEY
    models:
      - id: claude-sonnet-4-6
      - id: alpha-mini
${more}`;
const keys = { ONE_KEY: "one", TWO_KEY: "two" };

/** `provider/id effort` of the last request, by the key that came with it. */
const reached = (): string => {
  const request = b.modelRequests.at(-1);
  const provider = String(request?.headers.authorization).replace("Bearer ", "");
  return `${provider}/${request?.model} ${request?.body.reasoning_effort ?? ""}`.trim();
};

it("a session whose first request got no answer is continued with its own model", async () => {
  await b.close();
  b = await bench({ script: [turn.error(401), turn.text("ok")] });
  await b.write("models.yml", twoProviders());
  const first = await b.box.run(["--model", "two/alpha-mini", "-p", "hi"], { env: keys });
  expect(first.code).toBe(3);
  expect(await b.box.run(["-c", "-p", "again"], { env: keys })).toMatchObject({ code: 0 });
  expect(b.modelRequests.map(({ model }) => model)).toEqual(["alpha-mini", "alpha-mini"]);
});

describe("which model a selector means", () => {
  it.each([
    ["one/alpha-large", "one/alpha-large"],
    ["one/alpha-large:high", "one/alpha-large high"],
    ["one/alpha-large:xhigh", "one/alpha-large high"],
    ["alpha-large", "one/alpha-large"],
    ["alpha-large:low", "one/alpha-large low"],
    ["one/x/claude-sonnet-4.6", "one/x/claude-sonnet-4.6"],
    ["x/claude-sonnet-4.6", "one/x/claude-sonnet-4.6"],
    ["alpha large", "one/alpha-large"],
    ["two alpha", "two/alpha-mini"],
    ["*a-mini", "two/alpha-mini"],
    ["two/*", "two/claude-sonnet-4-6"],
    ["one/unheard-of", "one/unheard-of"],
  ])("G-52 %s is %s", async (selector, expected) => {
    expect(await b.ask(["--model", selector], keys)).toMatchObject({ code: 0 });
    expect(reached()).toBe(expected);
  });

  it("G-52 --provider names the provider of --model, and alone it limits the choice", async () => {
    await b.ask(["--provider", "two", "--model", "alpha-mini"], keys);
    expect(reached()).toBe("two/alpha-mini");
    await b.ask(["--provider", "one", "--model", "one/alpha-large:low"], keys);
    expect(reached()).toBe("one/alpha-large low");
    await b.ask(["--provider", "two"], keys);
    expect(reached()).toBe("two/claude-sonnet-4-6");
    expect(await b.ask(["--provider", "nobody"], keys)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("nobody"),
    });
  });

  it.each([
    ["no-such-model", 'Unknown model "no-such-model". Give it as provider/id, or see: lathe models'],
    ["onee/alpha", 'Unknown provider "onee". Did you mean one? See: lathe models'],
    ["constructor/x", 'Unknown provider "constructor". See: lathe models'],
    ["__proto__/x", 'Unknown provider "__proto__". See: lathe models'],
    ["one/", '"one/" does not name a model. Give provider/id, or see: lathe models one'],
    ["cursor/x", "The provider cursor cannot be used: its protocol is not public."],
  ])("G-52 %s is refused with the next step", async (selector, message) => {
    expect(await b.ask(["--model", selector], keys)).toMatchObject({ code: 2, stderr: `lathe: ${message}\n` });
  });

  it("G-52 without a name: the first of the scope, else the saved default, else a provider's usual model", async () => {
    await b.ask(["--models", "two/alpha*,one/*"], keys);
    expect(reached()).toBe("two/alpha-mini");
    await b.write("config.yml", "model: one/alpha-large:low\n");
    await b.ask([], keys);
    expect(reached()).toBe("one/alpha-large low");
    await b.ask(["--models", "two/*"], keys);
    expect(reached()).toBe("two/claude-sonnet-4-6");
    await b.write("config.yml", "");
    await b.ask([], { ...keys, OPENAI_API_KEY: "openai", OPENAI_BASE_URL: b.server.baseUrl("openai") });
    expect(reached()).toMatch(/^openai\/gpt-/);
  });

  it("G-52 a choice that is limited is not made elsewhere when none of it can be used", async () => {
    await b.write("config.yml", "enabledModels: [one/*]\n");
    const env = { OPENAI_API_KEY: "openai", OPENAI_BASE_URL: b.server.baseUrl("openai") };
    expect(await b.ask([], env)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("None of the models to choose from (one/*) has a credential."),
    });
    expect(b.modelRequests).toEqual([]);
    expect(await b.ask(["--model", "openai/gpt-5.2"], env)).toMatchObject({ code: 0 });
    await b.write("config.yml", "enabledModels: [nosuch/*]\n");
    expect(await b.box.run(["models"], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("No models are enabled. See: lathe config get enabledModels\n"),
    });
  });

  it("G-53 a slip in disabledProviders is told, since the provider would be used", async () => {
    await b.write("config.yml", "disabledProviders: [opnai, elsewhere]\n");
    const { stderr } = await b.ask(["--model", "one/alpha-large"], keys);
    expect(stderr).toBe("lathe: disabledProviders names opnai, which is not a provider. Did you mean openai?\n");
  });

  it("G-52 LS-05 a continued session goes on with its own model, the scope notwithstanding", async () => {
    const run = (args: readonly string[]) => b.box.run([...args, "-p", "hi"], { env: keys });
    await run(["--model", "two/alpha-mini"]);
    await run(["--continue", "--models", "one/*"]);
    expect(reached()).toBe("two/alpha-mini");
    await run(["--continue", "--model", "one/alpha-large"]);
    expect(reached()).toBe("one/alpha-large");
    const elsewhere = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: b.server.baseUrl("openai") };
    await b.box.run(["--continue", "--api-key", "given", "-p", "hi"], { env: elsewhere });
    expect(reached()).toBe("given/alpha-large");
    await b.box.run(["--continue", "-p", "hi"], { env: elsewhere });
    expect(reached()).toMatch(/^k\/gpt-/);
  });
});

describe("the same model from any provider", () => {
  it("G-47 the first in the user's order that can be used; excluded ones are apart; the session names the concrete one", async () => {
    await b.write("config.yml", "modelProviderOrder: [one, two]\n");
    const run = (env: Record<string, string>) => b.box.run(["--model", "claude-sonnet-4-6", "-p", "hi"], { env });
    await run(keys);
    expect(reached()).toBe("one/x/claude-sonnet-4.6");
    await run({ TWO_KEY: "two" });
    expect(reached()).toBe("two/claude-sonnet-4-6");
    expect(await sessionTexts()).toContainEqual(expect.stringContaining('"model":"x/claude-sonnet-4.6"'));

    const listed = await b.box.run(["models", "claude-sonnet-4-6"], { env: keys });
    expect(listed.stdout).toMatch(/claude-sonnet-4-6 +one\/x\/claude-sonnet-4\.6, two\/claude-sonnet-4-6/);

    await b.write("models.yml", twoProviders("equivalence:\n  exclude: [one/x/claude-sonnet-4.6]\n"));
    await run(keys);
    expect(reached()).toBe("two/claude-sonnet-4-6");
  });
});

async function sessionTexts(): Promise<string[]> {
  const root = join(b.box.env["LATHE_HOME"] ?? "", "sessions");
  const files = (await readdir(root, { recursive: true })).filter((name) => name.endsWith(".jsonl"));
  return Promise.all(files.map((name) => readFile(join(root, name), "utf8")));
}

describe("roles and folders", () => {
  it("LS-05 G-53 an option beats the variable beats the setting; a role may name a role, the effort written last wins", async () => {
    await b.write(
      "config.yml",
      "modelRoles:\n  smol: two/alpha-mini\n  slow: one/alpha-large:high\n  plan: lathe/slow:low\n",
    );
    const ask = (args: readonly string[], env = {}) => b.ask(args, { ...keys, ...env });
    await ask(["--model", "lathe/smol"]);
    expect(reached()).toBe("two/alpha-mini");
    await ask(["--model", "lathe/smol"], { LATHE_SMOL_MODEL: "one/alpha-large:low" });
    expect(reached()).toBe("one/alpha-large low");
    await ask(["--model", "lathe/smol", "--smol-model", "two/claude-sonnet-4-6"], {
      LATHE_SMOL_MODEL: "one/alpha-large",
    });
    expect(reached()).toBe("two/claude-sonnet-4-6");
    await ask(["--model", "lathe/plan"]);
    expect(reached()).toBe("one/alpha-large low");
    await ask(["--model", "lathe/plan:medium"]);
    expect(reached()).toBe("one/alpha-large medium");
    const circle = await ask(["--model", "lathe/plan", "--slow-model", "lathe/plan"]);
    expect(circle).toMatchObject({ code: 2, stderr: expect.stringContaining("refers to itself") });
  });

  it("LS-05 a role without a model of its own is the saved model, also when it is what --model names", async () => {
    const ask = (...args: string[]) => b.ask(args, keys);
    expect(await ask("--model", "lathe/smol")).toMatchObject({
      code: 2,
      stderr: "lathe: The role smol has no model. Set one: lathe config set modelRoles.smol <model>\n",
    });
    await b.write("config.yml", "model: one/alpha-large\n");
    await ask("--model", "lathe/smol:low");
    expect(reached()).toBe("one/alpha-large low");
    await ask("--model", "lathe/default");
    expect(reached()).toContain("one/alpha-large");
  });

  it("G-52 a slip in the effort is told and not sent as part of the id", async () => {
    expect(await b.ask(["--model", "one/alpha-large:hihg"], keys)).toMatchObject({
      code: 2,
      stderr: 'lathe: "one/alpha-large:hihg" does not end with a valid effort. Did you mean one/alpha-large:high?\n',
    });
    expect(await b.ask(["--model", "anthropic/claude-sonnet-4-5:ultra"], { ANTHROPIC_API_KEY: "k" })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /"anthropic.*:ultra" does not end with a valid effort\. Efforts: .*low, medium, high/,
      ),
    });
    await b.ask(["--model", "one/alpha-large:free"], keys);
    expect(reached()).toContain("alpha-large:free");
  });

  it("LS-05 a session that was told not to think does not begin to when it is continued", async () => {
    await b.write("config.yml", "defaultThinkingLevel: high\n");
    const ask = (args: readonly string[]) => b.box.run([...args, "-p", "hi"], { env: keys });
    await ask(["--model", "one/alpha-large:off"]);
    const without = reached();
    expect(without).not.toContain("high");
    await ask(["-c"]);
    expect(reached()).toBe(without);
    await ask(["-c", "--thinking", "low"]);
    expect(reached()).toBe("one/alpha-large low");
  });

  it("G-53 a provider disabled for a folder is not there at and below it, and is there outside", async () => {
    const inside = join(b.box.dir, "private/deep");
    await mkdir(inside, { recursive: true });
    await b.write("config.yml", `disabledProviders:\n  - path: ${join(b.box.dir, "private")}\n    providers: [two]\n`);
    const list = async (cwd: string) => (await b.box.run(["models"], { env: keys, cwd })).stdout;
    expect(await list(inside)).not.toContain("two/alpha-mini");
    expect(await list(inside)).toContain("one/alpha-large");
    expect(await list(b.box.dir)).toContain("two/alpha-mini");
    const refused = await b.box.run(["--model", "two/alpha-mini", "-p", "hi"], { env: keys, cwd: inside });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("The provider two is disabled here") });
  });
});

describe("context promotion", () => {
  const windows = (): string => `providers:
  acme:
    baseUrl: ${b.server.baseUrl("chat")}
    api: openai-completions
    apiKey: k
    models:
      - { id: m-small, contextWindow: 8000 }
      - { id: m-huge, contextWindow: 900000 }
      - { id: m-big, contextWindow: 200000 }
`;

  it("G-55 LS-05 an overflow goes on with the next larger model, same messages, and the choice stays", async () => {
    await b.close();
    const script = ({ model }: { model?: string | undefined }) =>
      model === "m-small" ? turn.error(400, { code: "context_length_exceeded" }) : turn.text("done");
    b = await bench({ script });
    await b.write("models.yml", windows());
    await b.write("config.yml", "model: acme/m-small\n");

    const without = await b.box.run(["-p", "hi"]);
    expect(without.code).not.toBe(0);
    expect(b.modelRequests.map(({ model }) => model)).toEqual(["m-small"]);

    await b.write("config.yml", "model: acme/m-small\ncontextPromotion: { enabled: true }\n");
    expect(await b.box.run(["-p", "hi"])).toMatchObject({ code: 0, stdout: "done\n" });
    const [, small, big] = b.modelRequests;
    expect([small?.model, big?.model]).toEqual(["m-small", "m-big"]);
    // Only the environment block names the model.
    expect(JSON.stringify(big?.body.messages)).toBe(
      JSON.stringify(small?.body.messages).replace("Model: m-small", "Model: m-big"),
    );
    const session = (await sessionTexts()).find((text) => text.includes("m-big")) ?? "";
    expect(session).toContain('"role":"temporary"');
    expect(session).not.toContain('"type":"compaction"');
    await b.box.run(["-p", "hi"]);
    expect(b.modelRequests[3]?.model).toBe("m-small");
  });

  it("LS-05 a context that is about to be compacted goes on with the larger model instead", async () => {
    await b.close();
    b = await bench({ script: () => turn.text("done", { usage: { input: 7800, output: 10 } }) });
    await b.write("models.yml", windows());
    await b.write("config.yml", "model: acme/m-small\ncontextPromotion: { enabled: true }\n");
    await b.box.run(["-p", "hi"]);
    expect(await b.box.run(["-c", "-p", "and now?"])).toMatchObject({ code: 0, stdout: "done\n" });
    expect(b.modelRequests.map(({ model }) => model)).toEqual(["m-small", "m-big"]);
    expect((await sessionTexts()).join("")).not.toContain('"type":"compaction"');
  });
});
