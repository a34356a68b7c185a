import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { type Bench, bench } from "./models-kit.ts";

let b: Bench;
afterEach(() => b.close());

const full = ["--permission-mode", "full"];

describe("what reaches the model and what comes back", () => {
  it("G-68 leaked routing text in a call of the gpt-5 family is never run; the model is asked again; code that mentions it is", async () => {
    const content = "first\nassistant to=functions.shell code rm -rf /";
    const mention = 'expect(header).toBe("to=functions.shell");\n';
    const write = (file: string, text: string, id: string) => ({
      name: "write_file",
      args: { file_path: file, content: text },
      id,
    });
    b = await bench({
      script: [turn.calls([write("a.txt", content, "call_1"), write("b.txt", mention, "call_2")]), turn.text("sorry")],
    });
    await writeFile(join(b.box.dir, "a.txt"), "as it was");
    const env = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: b.server.baseUrl("openai") };
    expect(await b.ask([...full, "--model", "openai/gpt-5.2"], env)).toMatchObject({ stdout: "sorry\n" });
    expect(b.modelRequests[1]?.result("call_1")).toMatch(/withheld.*send the call again/);
    expect(await readFile(join(b.box.dir, "a.txt"), "utf8")).toBe("as it was");
    expect(await readFile(join(b.box.dir, "b.txt"), "utf8")).toBe(mention);
  });

  it("G-53 a child agent may run on a role's model at another provider, with that provider's key", async () => {
    b = await bench({
      script: ({ headers, view }) => {
        if (headers.authorization === "Bearer two") return turn.text("child says hi");
        const results = view.messages.flatMap((message) => message.results);
        if (results.length === 0)
          return turn.calls([{ name: "spawn_agent", args: { task: "greet", model: "lathe/smol" }, id: "c1" }]);
        if (results.length > 1) return turn.text("all done");
        const { agent_id } = JSON.parse(results[0]?.text ?? "{}") as { agent_id: string };
        return turn.calls([{ name: "wait", args: { agent_id }, id: "c2" }]);
      },
    });
    const provider = (id: string, model: string): string =>
      `  ${id}: { baseUrl: "${b.server.baseUrl("chat")}", api: openai-completions, apiKey: ${id}, models: [{ id: ${model} }] }\n`;
    await b.write("models.yml", `providers:\n${provider("one", "gpt-large")}${provider("two", "gpt-mini")}`);
    await b.write("config.yml", "modelRoles: { smol: two/gpt-mini }\n");
    expect(await b.ask([...full, "--model", "one/gpt-large"])).toMatchObject({ code: 0, stdout: "all done\n" });
    const children = b.modelRequests.filter(({ headers }) => headers.authorization === "Bearer two");
    expect(children.map(({ model }) => model)).toEqual(["gpt-mini"]);
    expect(b.modelRequests.at(-1)?.text).toContain("child says hi");
  });

  it("G-43 thinking.defaultLevel of a model is its effort when nothing else names one", async () => {
    b = await bench();
    const thinking = "thinking: { mode: effort, levels: [low, medium, high], defaultLevel: high }";
    await b.write(
      "models.yml",
      `providers:\n  acme: { baseUrl: "${b.server.baseUrl("chat")}", api: openai-completions, apiKey: k, models: [{ id: deep, reasoning: true, ${thinking} }] }\n`,
    );
    await b.ask(["--model", "acme/deep"]);
    await b.ask(["--model", "acme/deep", "--thinking", "low"]);
    expect(b.modelRequests.map(({ body }) => body.reasoning_effort)).toEqual(["high", "low"]);
  });

  it("G-56 dialect switches of models.yml change the request: the provider's, refined by the model's", async () => {
    b = await bench();
    await b.write(
      "models.yml",
      `providers:
  acme:
    baseUrl: ${b.server.baseUrl("chat")}
    api: openai-completions
    apiKey: k
    compat: { maxTokensField: max_tokens, supportsUsageInStreaming: false }
    models:
      - { id: plain, maxTokens: 500 }
      - { id: own, maxTokens: 500, compat: { supportsUsageInStreaming: true } }
`,
    );
    await b.ask(["--model", "acme/plain"]);
    await b.ask(["--model", "acme/own"]);
    const [plain, own] = b.modelRequests.map(({ body }) => body);
    expect(plain).toMatchObject({ max_tokens: 500 });
    expect(plain.stream_options).toBeUndefined();
    expect(own).toMatchObject({ max_tokens: 500, stream_options: { include_usage: true } });
  });

  it("G-60 a base URL from the environment moves a built-in provider; --base-url and models.yml come before it", async () => {
    b = await bench();
    const nowhere = "http://127.0.0.1:9/v1";
    const ask = (args: readonly string[], url: string) =>
      b.ask(["--model", "groq/any", ...args], { GROQ_API_KEY: "k", GROQ_BASE_URL: url });
    expect(await ask([], b.server.baseUrl("chat"))).toMatchObject({ code: 0 });
    expect(await ask(["--base-url", b.server.baseUrl("chat")], nowhere)).toMatchObject({ code: 0 });
    await b.write("models.yml", `providers:\n  groq:\n    baseUrl: ${b.server.baseUrl("chat")}\n`);
    expect(await ask([], nowhere)).toMatchObject({ code: 0 });
  });

  it("G-60 MY_PROXY_BASE_URL is the address of a provider my-proxy that models.yml gives none", async () => {
    b = await bench();
    await b.write(
      "models.yml",
      "providers:\n  my-proxy: { api: openai-completions, apiKey: k, modelOverrides: { m1: { name: First } } }\n",
    );
    const env = { MY_PROXY_BASE_URL: b.server.baseUrl("chat") };
    expect(await b.ask(["--model", "my-proxy/m1"], env)).toMatchObject({ code: 0, stdout: "ok\n" });
    expect(b.modelRequests[0]).toMatchObject({ dialect: "chat", model: "m1" });
    expect(await b.ask(["--model", "my-proxy/m1"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/my-proxy/),
    });
  });

  it.each([":::", "ftp://files.example"])("G-60 an address that is none (%s) is told as such, with 2", async (url) => {
    b = await bench();
    expect(await b.ask(["--model", "openai/gpt-5.2"], { OPENAI_API_KEY: "k", OPENAI_BASE_URL: url })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`"${url}" is not a URL`),
    });
  });

  it("G-43 an API that Lathe does not speak is told as such, with 2", async () => {
    b = await bench();
    await b.write(
      "models.yml",
      "providers:\n  acme:\n    baseUrl: http://h\n    api: cursor-agent\n    apiKey: k\n    models: [{ id: m }]\n",
    );
    expect(await b.ask(["--model", "acme/m"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^lathe: .*cursor-agent is not built in\. .*lathe models\n$/),
    });
  });

  it("G-49 a variable that models.yml names and nobody has set is asked for, its name never sent as the key", async () => {
    b = await bench();
    const entry = (key: string): string =>
      `providers:\n  acme:\n    baseUrl: ${b.server.baseUrl("chat")}\n    api: openai-completions\n    ${key}\n    models: [{ id: m }]\n`;
    for (const key of ["apiKey: ACME_TOKEN", "apiKeyEnv: ACME_TOKEN"]) {
      await b.write("models.yml", entry(key));
      expect(await b.ask(["--model", "acme/m"])).toMatchObject({
        code: 3,
        stderr: "lathe: No credential for acme. Set ACME_TOKEN, or run: lathe login acme\n",
      });
      expect((await b.box.run(["models", "acme"])).stdout).toMatch(/acme\/m .*–\n/);
      expect(await b.ask(["--model", "acme/m"], { ACME_TOKEN: " t-1\n" })).toMatchObject({ code: 0 });
      expect(b.modelRequests.at(-1)?.headers["authorization"]).toBe("Bearer t-1");
    }
  });

  it("--mode rpc without a credential ends with 3 and the next step", async () => {
    b = await bench();
    const { code, stdout, stderr } = await b.box.run(["--mode", "rpc"]);
    expect(code).toBe(3);
    expect(stdout + stderr).toContain("No credential was found.");
  });
});
