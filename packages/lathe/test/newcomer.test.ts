// What newcomers try first and get wrong first: each mistake ends with one line that says what to do.

import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SUBCOMMANDS } from "../src/platform/options/option-table.ts";
import { type Sandbox, sandbox } from "./command.ts";

let box: Sandbox;
beforeEach(async () => {
  box = await sandbox({ untouched: true });
});
afterEach(() => box.remove());

const practice = ["--model", "practice/basic"];

describe("help", () => {
  it.each(Object.entries(SUBCOMMANDS))(
    "lathe %s --help, -h and lathe help <command> say how it is used",
    async (name, what) => {
      const { code, stdout, stderr } = await box.run([name, "--help"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout.startsWith(`lathe ${name}: ${what}\n\n  lathe ${name}`)).toBe(true);
      expect(await box.run(["help", name])).toMatchObject({ code: 0, stdout });
      expect(await box.run([name, "-h"])).toMatchObject({ code: 0, stdout });
    },
  );

  it("lathe help is the help; with other words it is a prompt", async () => {
    expect((await box.run(["help"])).stdout).toBe((await box.run(["--help"])).stdout);
    expect((await box.run([...practice, "help", "me"])).stdout).toContain("I am the practice model");
  });
});

describe("lathe demo and lathe prompt", () => {
  it("demo takes no words: nothing is started", async () => {
    expect(await box.run(["demo", "x"])).toMatchObject({ code: 2, stdout: "" });
  });

  it("prompt names a picture in the turn that holds it, and sets files apart from the words", async () => {
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    await writeFile(join(box.dir, "dot.png"), png);
    const { code, stdout } = await box.run(["prompt", ...practice, "what is it?", "@dot.png"]);
    expect(code).toBe(0);
    expect(stdout).toContain('<file path="dot.png">\n[image]\n</file>\nwhat is it?\n');
  });
});

describe("words and options of other agents", () => {
  it.each(["exec", "init", "web"])("lathe %s is not sent, and says how to send it", async (word) => {
    const { code, stdout, stderr } = await box.run([word]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(`Lathe has no command "${word}". Try: lathe`);
    expect(stderr).toContain(`To send the word as a prompt: lathe -p "${word}"`);
    expect((await box.run([...practice, "-p", word])).stdout).toContain("I am the practice model");
  });

  it.each([
    ["export", "lathe sessions export."],
    ["list", "lathe sessions list."],
    ["search", "lathe sessions search."],
    ["resume", "lathe --resume."],
    ["fork", "lathe --resume <id> --fork."],
    ["undo", "lathe rewind."],
    ["discard", "lathe worktree discard."],
    ["enable", "lathe plugin enable, lathe ext enable."],
  ])("the verb %s of a command is not sent alone, and the command is named", async (word, command) => {
    const { code, stderr } = await box.run([...practice, word]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `lathe: Lathe has no command "${word}". Try: ${command} To send the word as a prompt: lathe -p "${word}"\n`,
    });
  });

  it.each(["test", "explain", "check"])("%s is a request, although commands have such a verb", async (word) => {
    expect(await box.run([...practice, word])).toMatchObject({ code: 0, stderr: "" });
  });

  it("LS-01 a command behind options is not sent either; words that only begin like one are", async () => {
    const late = async (...words: string[]) => (await box.run([...practice, ...words])).stderr;
    expect(await late("doctor")).toBe(
      'lathe: A command comes before its options: lathe doctor … As a prompt: lathe -p "doctor"\n',
    );
    expect(await late("sessions", "list")).toContain("lathe sessions list … As a prompt");
    expect(await late("review", "HEAD~2")).toContain("lathe review HEAD~2 … As a prompt");
    expect(await late("web")).toContain('Lathe has no command "web".');
    for (const words of [
      ["config", "this"],
      ["review", "HEAD", "with", "care"],
      ["-p", "doctor"],
      ["--", "doctor"],
    ])
      expect(await late(...words)).toBe("");
  });

  it.each(["--yolo", "--dangerously-skip-permissions"])("%s points to the mode without questions", async (option) => {
    const { code, stderr } = await box.run([option, ...practice, "-p", "hi"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--permission-mode full");
  });
});

describe("options that cannot mean what was written", () => {
  it.each([
    [["--api-key", "", "--model", "openai/gpt-5.2"], "--api-key is empty."],
    [["--base-url", "localhost", "--api-key", "k", "--model", "openai/gpt-5.2"], "--base-url must be an address"],
    [["--base-url", "file:///etc", "--api-key", "k", "--model", "openai/gpt-5.2"], "--base-url must be an address"],
    [["--models", "zzz*,yyy"], "No model matches --models zzz*,yyy. See: lathe models"],
    [["--cwd", "file.txt", ...practice], "--cwd: file.txt is not a directory."],
    [["--cwd", "file.txt/below", ...practice], "--cwd: file.txt/below is not a directory."],
    [["--add-dir", "nowhere", ...practice], "--add-dir: nowhere is not a directory."],
    [
      ["--system-prompt", "missing.md", ...practice],
      "missing.md cannot be read. Give a text file, or the text itself.",
    ],
    [["--append-system-prompt", "notes/missing.txt", ...practice], "notes/missing.txt cannot be read."],
  ])("%j is refused with 2", async (args, message) => {
    await writeFile(join(box.dir, "file.txt"), "x");
    const { code, stdout, stderr } = await box.run([...args, "-p", "hi"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.startsWith(`lathe: ${message}`)).toBe(true);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("lathe trust", () => {
  it("takes one folder that is there, and no file", async () => {
    await writeFile(join(box.dir, "file.txt"), "x");
    for (const args of [["file.txt"], ["nowhere"], [".", "other"], ["--all"], ["--list", "--remove"]])
      expect(await box.run(["trust", ...args])).toMatchObject({ code: 2, stdout: "" });
    expect((await box.run(["trust", "--list"])).stdout).toBe("");
  });

  it("--remove forgets a folder that is gone, and says when a folder above still is trusted", async () => {
    const below = join(box.dir, "below");
    await mkdir(below);
    await box.run(["trust"]);
    const { stdout } = await box.run(["trust", "--remove", "below"]);
    expect(stdout).toBe(`Was not trusted: ${below}; still trusted through ${box.dir}\n`);
    await box.run(["trust", below]);
    await rm(below, { recursive: true });
    await box.run(["trust", "--remove", below]);
    expect((await box.run(["trust", "--list"])).stdout).toBe(`${box.dir}\n`);
  });
});

describe("lathe login", () => {
  it.each([
    [["practice"], "", "The practice model needs no key"],
    [["ollama"], "", "needs no key"],
    [["openai"], "two words\n", "A key contains no spaces"],
    [["openai"], "one\ntwo\n", "A key contains no spaces"],
    [["--force"], "", "lathe login takes one provider, --account <name> and --key, not --force."],
  ])("%j with %j is refused", async (args, stdin, message) => {
    const { code, stderr } = await box.run(["login", ...args], { stdin });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });

  it.each([
    [["login", "openai", "sk-secret"], "lathe login openai < key.txt"],
    [["login", "sk-secret"], "lathe login <provider> < key.txt"],
    [["login", "sk-secret", "openai"], "lathe login <provider> < key.txt"],
    [["login", "openai", "--key", "sk-secret"], "lathe login openai < key.txt"],
    [["login", "--api-key=sk-secret"], "not --api-key."],
    [["logout", "openai", "sk-secret"], "lathe logout takes one provider, and --account <name> or --all."],
  ])("%j does not repeat the key, stores nothing and says how to pass it", async (args, message) => {
    const { code, stdout, stderr } = await box.run(args, { stdin: "" });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("secret");
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(existsSync(join(box.home, ".lathe/auth.json"))).toBe(false);
  });
});

it("a server that cannot be reached: the retry says so, and the run ends with what to check", async () => {
  await box.run(["config", "set", "retry.maxRetries", "1"]);
  await box.run(["config", "set", "retry.baseDelay", "0.01"]);
  // Nothing listens on this port of the machine: it is reserved for a service of the past.
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "http://127.0.0.1:9" };
  const { code, stdout, stderr } = await box.run(["--model", "anthropic/claude-sonnet-4-5", "-p", "hi"], { env });
  expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
  expect(stderr).toMatch(/127\.0\.0\.1:9: nothing is listening there; .* trying again in /);
  expect(stderr).toMatch(/Check the connection and the base URL, then try again: lathe -c\n$/);
});

describe("an address that is none", () => {
  const models = { anthropic: "claude-sonnet-4-5", openai: "gpt-5.2", gemini: "gemini-2.5-pro", groq: "any" } as const;
  const refused = async (args: readonly string[], env: Record<string, string>, ...says: string[]): Promise<void> => {
    const { code, stdout, stderr } = await box.run([...args, "-p", "hi"], { env });
    expect({ code, stdout, lines: stderr.trimEnd().split("\n").length, stderr }).toMatchObject({
      code: 2,
      stdout: "",
      lines: 1,
    });
    for (const text of says) expect(stderr).toContain(text);
  };

  it.each(
    Object.entries(models).flatMap(([provider, id]) =>
      ["garbage", "ht!tp://x", "http://", "http://x:99999", "ftp://x"].map((url) => [provider, id, url] as const),
    ),
  )(
    "in the variable of %s (%s) is one line that names it, not an internal error or minutes of retries: %s",
    async (provider, id, url) => {
      const name = provider.toUpperCase();
      await refused(
        ["--model", `${provider}/${id}`],
        { [`${name}_API_KEY`]: "k", [`${name}_BASE_URL`]: url },
        `${name}_BASE_URL`,
        `"${url}" is not a URL`,
      );
    },
  );

  it("does not repeat a password in it", async () => {
    const { stderr } = await box.run(["--model", "anthropic/claude-sonnet-4-5", "-p", "hi"], {
      env: { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "http://me:secret@[bad" },
    });
    expect(stderr).toMatch(/^lathe: ANTHROPIC_BASE_URL: .* is not a URL/);
    expect(stderr).not.toContain("secret");
  });

  it("in models.yml is one line that names the file and the provider", async () => {
    await mkdir(join(box.home, ".lathe"));
    const entry = "baseUrl: garbage\n    api: openai-completions\n    apiKey: k\n    models: [{ id: m }]";
    await writeFile(join(box.home, ".lathe/models.yml"), `providers:\n  acme:\n    ${entry}\n`);
    await refused(["--model", "acme/m"], {}, "acme", "models.yml", '"garbage" is not a URL');
  });

  it.each([
    ["http_proxy", "garbage"],
    ["HTTP_PROXY", "http://"],
    ["ALL_PROXY", "http://me:secret@[x"],
    ["all_proxy", "socks5://127.0.0.1:1"],
  ])("in %s (%s) is one line that names the variable", async (variable, value) => {
    const { code, stderr } = await box.run(["--model", "anthropic/claude-sonnet-4-5", "-p", "hi"], {
      env: { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "http://model.invalid", [variable]: value },
    });
    expect({ code, lines: stderr.trimEnd().split("\n").length }).toEqual({ code: 2, lines: 1 });
    expect(stderr).toContain(`lathe: ${variable}`);
    expect(stderr).not.toContain("secret");
  });
});

describe("a model of a provider that does not exist", () => {
  const keys = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "http://127.0.0.1:9", OPENAI_API_KEY: "k" };
  const unknown = /^(lathe: )?Unknown provider "(b|opnai)"\.( Did you mean (openai|.*)\?)? See: lathe models$/m;

  it.each(["b/b", "opnai/gpt-5.2", "b/b:high"])("--model %s runs no other model", async (selector) => {
    const { code, stdout, stderr } = await box.run(["--model", selector, "-p", "hi"], { env: keys });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(unknown);
  });

  it("names those that are written nearly the same", async () => {
    const { stderr } = await box.run(["--model", "opnai/gpt-5.2", "-p", "hi"], { env: keys });
    expect(stderr).toContain("Did you mean openai");
  });

  it("is refused as the saved default as well", async () => {
    await box.run(["config", "set", "model", "b/b"]);
    const { code, stderr } = await box.run(["-p", "hi"], { env: keys });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(unknown) });
  });

  it("is refused by set_model of an RPC host, and the session keeps its model", async () => {
    const commands = [
      { id: "1", type: "set_model", provider: "b", modelId: "b" },
      { id: "2", type: "get_state" },
    ];
    const { stdout } = await box.run(["--mode", "rpc", ...practice], {
      env: keys,
      stdin: commands.map((command) => `${JSON.stringify(command)}\n`).join(""),
    });
    const frames = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(frames.find(({ id }) => id === "1")).toMatchObject({ success: false });
    expect(JSON.stringify(frames.find(({ id }) => id === "2"))).toContain("practice");
  });
});

describe("lathe models", () => {
  it.each([
    [["models", "nonsensezzz"], 'No model matches "nonsensezzz". See: lathe models', ""],
    [["--list-models", "nonsensezzz"], 'No model matches "nonsensezzz". See: lathe models', ""],
    [["models", "--json", "nonsensezzz"], 'No model matches "nonsensezzz". See: lathe models', "[]\n"],
    [["models", "--usable", "claude-sonnet"], 'No model that matches "claude-sonnet" has a credential.', ""],
  ])("%j with nothing to show ends with 1 and one line", async (args, message, stdout) => {
    const run = await box.run(args);
    expect(run).toMatchObject({ code: 1, stdout, stderr: expect.stringContaining(message) });
    expect(run.stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  it("--usable leaves out every provider without a credential", async () => {
    const { code, stdout } = await box.run(["models", "--usable", "--json"], { env: { GROQ_API_KEY: "k" } });
    const providers = new Set((JSON.parse(stdout) as { provider: string }[]).map(({ provider }) => provider));
    expect({ code, providers: [...providers].sort() }).toEqual({ code: 0, providers: ["groq", "practice"] });
  });
});
