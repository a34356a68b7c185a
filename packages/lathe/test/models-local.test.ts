import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Bench, bench } from "./models-kit.ts";

let b: Bench;
beforeEach(async () => {
  b = await bench({
    auth: "none",
    listings: { models: [{ id: "tiny:1b", contextLength: 16_384, capabilities: ["completion", "tools"] }] },
  });
});
afterEach(() => b.close());

/** Nothing listens at the usual ports of a test either. */
const nowhere = {
  OLLAMA_BASE_URL: "http://127.0.0.1:9",
  LLAMA_CPP_BASE_URL: "http://127.0.0.1:9",
  LM_STUDIO_BASE_URL: "http://127.0.0.1:9/v1",
};
const ollama = () => ({ ...nowhere, OLLAMA_BASE_URL: b.server.baseUrl("ollama") });
const listings = (): number => b.server.requests.filter(({ dialect }) => dialect === undefined).length;

describe("local servers", () => {
  it("G-48 a model of Ollama is listed and usable with no setup", async () => {
    const { stdout } = await b.box.run(["models", "tiny"], { env: ollama() });
    expect(stdout).toMatch(/ollama\/tiny:1b +16k .*no key needed/);
    const run = await b.ask(["--model", "ollama/tiny:1b"], ollama());
    expect(run).toMatchObject({ code: 0, stdout: "ok\n", stderr: "" });
    expect(b.modelRequests[0]?.model).toBe("tiny:1b");
    expect(b.modelRequests[0]?.headers.authorization).toBeUndefined();
  });

  it("G-48 llama.cpp and LM Studio are asked in their own ways", async () => {
    const env = {
      ...nowhere,
      LLAMA_CPP_BASE_URL: b.server.url,
      LM_STUDIO_BASE_URL: `${b.server.url}/v1`,
    };
    const { stdout } = await b.box.run(["models", "tiny", "--json"], { env });
    const found = (JSON.parse(stdout) as { provider: string }[]).map(({ provider }) => provider);
    expect(found.sort()).toEqual(["llama.cpp", "lm-studio"]);
  });

  it("G-48 a server that speaks OpenAI's way and wants no key: vLLM by its variable, any other by an entry; never through a proxy", async () => {
    const env = { ...nowhere, VLLM_BASE_URL: `${b.server.url}/v1`, HTTP_PROXY: "http://127.0.0.1:9", http_proxy: "" };
    const { stdout } = await b.box.run(["models", "tiny"], { env });
    expect(stdout).toMatch(/vllm\/tiny:1b .*no key needed/);
    const run = await b.ask(["--model", "vllm/tiny:1b"], env);
    expect(run).toMatchObject({ code: 0, stdout: "ok\n", stderr: "" });
    expect(b.modelRequests[0]?.headers.authorization).toBeUndefined();
    await b.write(
      "models.yml",
      `providers:\n  sglang:\n    baseUrl: ${b.server.url}/v1\n    api: openai-completions\n    auth: none\n    discovery: { type: openai-compatible }\n`,
    );
    const other = await b.ask(["--model", "sglang/tiny:1b"], { ...nowhere, HTTP_PROXY: "http://127.0.0.1:9" });
    expect(other).toMatchObject({ code: 0, stdout: "ok\n", stderr: "" });
  });

  it("G-48 servers that are down, or that never answer, leave no trace", async () => {
    const mute = createServer();
    mute.listen(0, "127.0.0.1");
    await once(mute, "listening");
    const env = { ...nowhere, OLLAMA_BASE_URL: `http://127.0.0.1:${(mute.address() as AddressInfo).port}` };
    const listed = await b.box.run(["models", "ollama/*"], { env });
    mute.close();
    expect(listed).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No model matches "ollama/*". See: lathe models\n'),
      stdout: "",
    });
    const { code, stderr } = await b.box.run(["--list-models", "gpt-5.2"], { env: nowhere });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("G-46 a second start asks nothing within the window; changed overrides count at once, a changed server is asked again", async () => {
    await b.ask(["--model", "ollama/tiny:1b"], ollama());
    const first = listings();
    expect(first).toBeGreaterThan(0);
    await b.ask(["--model", "ollama/tiny:1b"], ollama());
    expect(listings()).toBe(first);

    await b.write(
      "models.yml",
      "providers:\n  ollama:\n    modelOverrides:\n      tiny:1b: { wireModelId: tiny-override }\n",
    );
    await b.ask(["--model", "ollama/tiny:1b"], ollama());
    expect(listings()).toBe(first);
    expect(b.modelRequests.at(-1)?.body.model).toBe("tiny-override");

    await b.ask(["--model", "ollama/tiny:1b"], { ...ollama(), OLLAMA_CONTEXT_LENGTH: "4096" });
    expect(listings()).toBeGreaterThan(first);
  });

  it("G-45 G-48 a server of models.yml is discovered under its own name, and overrides change what it reports", async () => {
    await b.write(
      "models.yml",
      `providers:
  lab:
    baseUrl: ${b.server.baseUrl("ollama")}/v1
    api: openai-completions
    auth: none
    discovery: { type: ollama }
    modelOverrides:
      tiny:1b: { name: The small one }
`,
    );
    const { stdout } = await b.box.run(["models", "lab/*", "--json"], { env: nowhere });
    expect(JSON.parse(stdout)).toMatchObject([
      { provider: "lab", id: "tiny:1b", name: "The small one", available: true },
    ]);
    expect(await b.ask(["--model", "lab/tiny:1b"], nowhere)).toMatchObject({ code: 0, stdout: "ok\n" });
    expect(b.modelRequests[0]).toMatchObject({ dialect: "chat", model: "tiny:1b" });
  });

  it("G-48 a server of models.yml that wants a key is asked with it", async () => {
    await b.write(
      "models.yml",
      `providers:\n  lab:\n    baseUrl: ${b.server.baseUrl("ollama")}/v1\n    api: openai-completions\n    apiKey: LAB_KEY\n    discovery: { type: ollama }\n`,
    );
    await b.box.run(["models", "lab/*"], { env: { ...nowhere, LAB_KEY: "k-1" } });
    expect(new Set(b.server.requests.map(({ headers }) => headers["authorization"]))).toEqual(new Set(["Bearer k-1"]));
  });

  it("G-52 a scope of a local server's models is a choice of one of them", async () => {
    expect(await b.ask(["--models", "ollama/*"], ollama())).toMatchObject({ code: 0 });
    expect(b.modelRequests[0]?.model).toBe("tiny:1b");
  });

  it.each([[["-p", "hi"]], [["--mode", "json", "-p", "hi"]]])(
    "G-48 %j without a credential never falls back, a local server or not: exit 3",
    async (args) => {
      const { code, stdout, stderr } = await b.box.run(["--no-session", ...args], { env: ollama() });
      expect(code).toBe(3);
      expect(`${stdout}${stderr}`).toContain("No credential was found. Set a key such as ANTHROPIC_API_KEY");
      expect(b.modelRequests).toHaveLength(0);
    },
  );
});
