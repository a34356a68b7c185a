// Credentials at a real terminal: /login and /logout, the first start without any, and what commands do not see.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startIssuer } from "../issuer.ts";
import { BUILT, TerminalBench } from "./bench.ts";
import { KEY, type TerminalOptions, TerminalRun } from "./emulator.ts";

let bench: TerminalBench;
const runs: TerminalRun[] = [];
beforeEach(async () => {
  bench = await TerminalBench.open();
});
afterEach(async () => {
  for (const run of runs.splice(0)) await run.close();
  await bench.close();
});

/** No server of a developer's own machine is found. */
const NOWHERE = {
  OLLAMA_BASE_URL: "http://127.0.0.1:9",
  LLAMA_CPP_BASE_URL: "http://127.0.0.1:9",
  LM_STUDIO_BASE_URL: "http://127.0.0.1:9/v1",
};

/** The command of a user who has no key. */
function start(args: readonly string[] = [], { env, ...options }: TerminalOptions = {}): TerminalRun {
  const place = { ANTHROPIC_BASE_URL: bench.server.baseUrl("anthropic"), LATHE_NO_TITLE: "1" };
  const run = new TerminalRun(bench.box, args, {
    columns: 100,
    inside: true,
    ...options,
    env: { ...NOWHERE, ...place, ...env },
  });
  runs.push(run);
  return run;
}

async function opened(args: readonly string[], options: TerminalOptions = {}): Promise<TerminalRun> {
  const run = start(args, options);
  await run.see("/help");
  return run;
}

const command = (run: TerminalRun, text: string): void => run.type(`${text}${KEY.enter}`);
const PRACTICE = ["--model", "practice/basic"];
const stored = async (): Promise<unknown> =>
  JSON.parse(await readFile(join(bench.box.env["LATHE_HOME"] ?? "", "auth.json"), "utf8"));

async function inHome(name: string, text: string): Promise<void> {
  const home = bench.box.env["LATHE_HOME"] ?? "";
  await mkdir(home, { recursive: true });
  await writeFile(join(home, name), text, { mode: 0o600 });
}

describe("/login and /logout", () => {
  // Whether a keyring answers is up to the machine.
  beforeEach(() => inHome("config.yml", "auth: { keyring: false }\n"));

  it("a key that is typed is never on the screen, and the provider's model answers at once", async () => {
    bench.server.push(turn.text("hello from the real one"));
    const run = await opened(PRACTICE);
    command(run, "/login anthropic");
    await run.see(/Key for Anthropic[\s\S]*\(hidden\)/);
    run.type("sk-ant-secret-1");
    await run.see("•••••••••••••••");
    run.type(KEY.enter);
    await run.see(/Stored for Anthropic in the credentials file\.[\s\S]*Model: anthropic\/claude-/);
    command(run, "hello");
    await run.see("hello from the real one");
    expect(bench.server.requests[0]?.headers["x-api-key"]).toBe("sk-ant-secret-1");
    expect(run.raw).not.toContain("sk-ant-secret-1");
    expect(await stored()).toEqual({
      anthropic: {
        accounts: [
          {
            id: expect.stringMatching(/^anthropic-[\da-f]{8}$/),
            name: "default",
            credential: { type: "api_key", key: "sk-ant-secret-1" },
          },
        ],
      },
    });
  });

  it("a key that is typed before its question is there waits for it, and no model gets it", async () => {
    bench.server.push(turn.text("hello from the real one"));
    const run = await opened(PRACTICE);
    run.type("/login anthropic");
    await run.see("❯ /login anthropic");
    run.type(`${KEY.enter}\x1b[200~sk-ant-early-1\x1b[201~`);
    await run.see(/Key for Anthropic[\s\S]*•••/);
    run.type(KEY.enter);
    await run.see("Stored for Anthropic in the credentials file.");
    expect(run.raw).not.toContain("sk-ant-early-1");
    expect(JSON.stringify(await stored())).toContain("sk-ant-early-1");
    expect(bench.server.requests).toEqual([]);
  });

  it("without a name the providers are listed, those with a key first; Esc changes nothing", async () => {
    const run = await opened(PRACTICE, { env: { GROQ_API_KEY: "k" }, rows: 40 });
    command(run, "/login");
    const rows = await run.see(/Log in to[\s\S]*Enter to choose/);
    const listed = rows.slice(rows.findIndex((row) => row.includes("Log in to"))).join("\n");
    expect(listed).toMatch(/groq[^\n]*\$GROQ_API_KEY[\s\S]*openrouter[^\n]*sign-in[\s\S]*anthropic/);
    run.type("mistr");
    await run.see(/❯ mistral/);
    run.type(KEY.enter);
    await run.see("Key for Mistral");
    run.type(KEY.escape);
    await run.see("Ask for a change");
    await expect(stored()).rejects.toThrow("ENOENT");
  });

  it("/logout offers what is stored, deletes it, and says that a variable is still there", async () => {
    const run = await opened(PRACTICE, { env: { ANTHROPIC_API_KEY: "from-the-variable" } });
    command(run, "/login anthropic");
    await run.see("Key for Anthropic");
    run.paste("sk-ant-secret-2");
    await run.see("•••");
    run.type(KEY.enter);
    await run.see("Stored for Anthropic");
    command(run, "/logout");
    await run.see(/Log out of[\s\S]*❯ anthropic[^\n]*stored key/);
    run.type(KEY.enter);
    await run.see(/Deleted the credential of Anthropic\.[\s\S]*still has credentials from \$ANTHROPIC_API_KEY/);
    expect(await stored()).toEqual({});
  });

  it("a key in the place of the provider is refused and not repeated", async () => {
    const run = await opened(PRACTICE);
    command(run, "/login anthropic sk-ant-secret-3");
    await run.see("Name only the provider");
    command(run, "/login antropic");
    await run.see("Did you mean anthropic?");
  });

  it("Esc cancels a sign-in with a browser", async () => {
    const run = await opened(PRACTICE);
    command(run, "/login openrouter");
    await run.see(/Sign in with a browser[\s\S]*Enter a key/);
    run.type(KEY.enter);
    await run.see(/Open https:\/\/openrouter\.ai\/auth[\s\S]*Esc cancels[\s\S]*Address to paste/);
    run.type(KEY.escape);
    await run.see("Signing in was cancelled.");
    await run.see("Ask for a change");
  });

  it.each([
    ["a browser that comes back", "authorizeUrl", "/authorize"],
    ["a code on another device", "deviceUrl", "/device"],
  ])("AU-01 a sign-in with %s ends the question, and the token is sent", async (_, way, path) => {
    const issuer = await startIssuer();
    issuer.interval = 0;
    issuer.pendingPolls = way === "deviceUrl" ? 1 : 0;
    try {
      await inHome("config.yml", "auth: { keyring: false }\n");
      await inHome(
        "oauth.yml",
        `stub: { label: Stub, clientId: c, tokenUrl: "${issuer.url}/token", ${way}: "${issuer.url}${path}" }\n`,
      );
      const provider = `{ baseUrl: "${bench.server.baseUrl("chat")}", api: openai-completions, auth: oauth, apiKeyEnv: STUB_KEY, models: [{ id: inside }] }`;
      await inHome("models.yml", `providers: { stub: ${provider} }\n`);
      bench.server.push(turn.text("hello from the inside"));
      const run = await opened(PRACTICE, { columns: 500 });
      command(run, "/login stub");
      await run.see("Sign in with a browser");
      run.type(KEY.enter);
      const rows = await run.see(/Open http/);
      if (way === "authorizeUrl") await fetch(/Open (\S+)/.exec(rows.join("\n"))?.[1] ?? "");
      await run.see(/Stored for Stub in the credentials file\.[\s\S]*Model: stub\/inside[\s\S]*Ask for a change/);
      command(run, "hello");
      await run.see("hello from the inside");
      expect(bench.server.requests.at(-1)?.headers.authorization).toMatch(/^Bearer access-/);
    } finally {
      issuer.server.close();
      issuer.server.closeAllConnections();
    }
  });

  it("in plain mode the key is asked for in a line that shows nothing", async () => {
    bench.server.push(turn.text("hello from the real one"));
    const run = await opened([...PRACTICE, "--plain"]);
    command(run, "/login anthropic");
    await run.see("Key for Anthropic (hidden):");
    run.type(`sk-ant-secret-4${KEY.enter}`);
    await run.see(/Stored for Anthropic[\s\S]*Model: anthropic\//);
    command(run, "hello");
    await run.see("hello from the real one");
    expect(run.raw).not.toContain("sk-ant-secret-4");
  });
});

describe("the first start", () => {
  it("without any credential a person chooses: logging in leads to the provider's model", async () => {
    bench.server.push(turn.text("hello from the real one"));
    const run = start([], BUILT);
    await run.see(/How do you want to start\?[\s\S]*❯ Log in to a provider[\s\S]*Try the practice model/);
    run.type(KEY.enter);
    await run.see(/❯ openrouter[\s\S]*Enter to choose/);
    run.type(`anthropic${KEY.enter}`);
    await run.see("Key for Anthropic");
    run.type(`sk-ant-secret-5${KEY.enter}`);
    await run.see(/lathe \S+ · anthropic\/claude-[\s\S]*Ask for a change/);
    command(run, "hello");
    await run.see("hello from the real one");
    expect(run.raw).not.toContain("sk-ant-secret-5");
  });

  it("Esc skips the choice: the practice model, said in one line", async () => {
    const run = start();
    await run.see("How do you want to start?");
    run.type(KEY.escape);
    await run.see(/continuing with the practice model[\s\S]*practice\/basic[\s\S]*Ask for a change/);
  });

  it("a local server that was found is the first choice", async () => {
    await bench.close();
    bench = await TerminalBench.open({
      listings: { models: [{ id: "tiny:1b", contextLength: 16_384, capabilities: ["completion", "tools"] }] },
    });
    const run = start([], { env: { OLLAMA_BASE_URL: bench.server.baseUrl("ollama") } });
    await run.see(/❯ Use ollama\/tiny:1b +Ollama on this machine/);
    run.type(KEY.enter);
    await run.see(/· ollama\/tiny:1b ·/);
  });

  it("nothing is asked when a model was named, or anything is stored", async () => {
    const named = await opened(PRACTICE);
    expect(named.all.join("\n")).not.toContain("How do you want");
    await inHome("auth.json", '{"somebody-else":{"type":"api_key","key":"k"}}');
    const other = await opened([]);
    expect(other.all.join("\n")).toMatch(/practice\/basic/);
    expect(other.all.join("\n")).not.toContain("How do you want");
  });
});

describe("variables that commands do not see", () => {
  it("EE-03 D3 are one line without names at the first command, and all in /status; keys for models are none", async () => {
    const shell = turn.calls([{ name: "shell", args: { command: "echo ran" } }]);
    bench.server.push(shell, turn.text("done"), shell, turn.text("done again"));
    const model = ["--model", "anthropic/claude-sonnet-4-5", "--permission-mode", "full"];
    const run = await opened(model, { env: { ANTHROPIC_API_KEY: "k" } });
    command(run, "run it");
    await run.see("done");
    expect(run.all.join("\n")).not.toContain("environment variables");
    const other = await opened(model, { env: { ANTHROPIC_API_KEY: "k", MY_OWN_TOKEN: "1" } });
    command(other, "run it");
    const rows = await other.see("Some environment variables are hidden from commands; see /status");
    expect(rows.join("\n")).toMatch(/done again[\s\S]*Some environment variables are hidden/);
    expect(other.all.join("\n")).not.toContain("MY_OWN_TOKEN");
    command(other, "/status");
    await other.seeAnywhere(
      /hidden +ANTHROPIC_API_KEY[\s\S]*MY_OWN_TOKEN[\s\S]*To pass some: lathe config set shell\.env\.pass/,
    );
  });
});
