import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startModelServer, turn } from "@lathe/testkit";
import { BUILTIN_THEMES } from "@lathe/tui";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, sandbox } from "./command.ts";

let box: Sandbox;
beforeEach(async () => {
  box = await sandbox();
});
afterEach(() => box.remove());

const home = (name: string): string => join(box.env["LATHE_HOME"] ?? "", name);
const project = async (text: string): Promise<string> => {
  await mkdir(join(box.dir, ".lathe"), { recursive: true });
  await writeFile(join(box.dir, ".lathe/config.yml"), text);
  return join(box.dir, ".lathe/config.yml");
};
const get = async (key: string): Promise<string> => (await box.run(["config", "get", key])).stdout.trim();

describe("lathe config", () => {
  it("CF-01 set writes the user's file only and touches nothing else in it", async () => {
    await mkdir(home(""), { recursive: true });
    await writeFile(home("config.yml"), "# mine\nretry:\n  maxRetries: 4 # four\nfuture: 1\n");
    expect(await box.run(["config", "set", "model", "openai/gpt-5.2"])).toMatchObject({ code: 0, stdout: "" });
    await box.run(["config", "set", "enabledModels", "openai/*, anthropic/*"]);
    const text = await readFile(home("config.yml"), "utf8");
    expect(text).toContain("# mine\nretry:\n  maxRetries: 4 # four\nfuture: 1\n");
    expect(await get("model")).toBe("openai/gpt-5.2");
    expect(await get("enabledModels")).toBe("openai/*,anthropic/*");
    expect((await stat(home("config.yml"))).mode & 0o077).toBe(0);
  });

  it("CF-01 a new file of the user's names its schema for editors; a project's, which others share, does not", async () => {
    await box.run(["config", "set", "model", "openai/gpt-5.2"]);
    await box.run(["setup", "provider", "--preset", "glm"]);
    await box.run(["mcp", "add", "own", "node"]);
    await box.run(["mcp", "add", "--project", "shared", "node"]);
    const schemas = await Promise.all(
      ["config.yml", "models.yml", "mcp.json"].map(async (name) => {
        const [, address = ""] = /\$schema(?:=|": ")(file:[^"\n]*)/.exec(await readFile(home(name), "utf8")) ?? [];
        return JSON.parse(await readFile(new URL(address), "utf8")).title;
      }),
    );
    expect(schemas).toEqual([
      "Settings of Lathe: config.yml",
      "Providers and models of Lathe: models.yml",
      "MCP servers of Lathe: mcp.json",
    ]);
    expect(await readFile(join(box.dir, ".lathe/mcp.json"), "utf8")).not.toContain("$schema");
    const { stderr, stdout } = await box.run(["mcp", "list"]);
    expect([stderr, stdout]).toEqual(["", expect.stringContaining("own")]);
    expect((await box.run(["models", "glm-proxy/*"])).stderr).toBe("");
  });

  it.each(["settings.json", "config.json"])(
    "CF-02 a %s alone becomes config.yml once, with today's names; the old file is kept",
    async (name) => {
      await mkdir(home(""), { recursive: true });
      await writeFile(home(name), '{"queueMode": "all", "retry": {"maxRetries": 2}}');
      const first = await box.run(["config", "get", "steeringMode"]);
      expect(first).toMatchObject({
        code: 0,
        stdout: "all\n",
        stderr: expect.stringContaining(`${name} is now config.yml`),
      });
      expect(await readFile(home("config.yml"), "utf8")).toMatch(
        /^# yaml-language-server: \$schema=file:.*\/schemas\/config\.json\nsteeringMode: all\nretry:\n {2}maxRetries: 2\n$/,
      );
      expect(await readFile(home(`${name}.bak`), "utf8")).toContain("queueMode");
      expect(await box.run(["config", "get", "retry.maxRetries"])).toMatchObject({ stdout: "2\n", stderr: "" });
      await writeFile(home(name), '{"steeringMode": "one-at-a-time"}');
      expect(await get("steeringMode")).toBe("all");
    },
  );

  it.each([
    ["light", undefined, "light"],
    ["dark-colorblind", undefined, "dark"],
    ["paper", "light", "light"],
    ["no-such-theme", undefined, "dark"],
  ])("CF-02 G-112 the flat theme %s of an older file goes where its colours belong", async (theme, like, slot) => {
    await mkdir(home("themes"), { recursive: true });
    const colors = BUILTIN_THEMES.find(({ name }) => name === like)?.colors;
    if (colors) await writeFile(home(`themes/${theme}.json`), JSON.stringify({ name: theme, colors }));
    await writeFile(home("settings.json"), JSON.stringify({ theme, ask: { timeout: 30_000 } }));
    expect(await get(`theme.${slot}`)).toBe(theme);
    expect(await get("ask.timeout")).toBe("30");
    expect(await readFile(home("config.yml"), "utf8")).toContain(`theme:\n  ${slot}: ${theme}\nask:\n  timeout: 30\n`);
  });

  it("CF-02 one that is no JSON is left alone, and said", async () => {
    await mkdir(home(""), { recursive: true });
    await writeFile(home("settings.json"), "{broken");
    const { code, stderr } = await box.run(["config", "get", "steeringMode"]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/settings\.json cannot be converted: .*config\.yml/)]);
    expect(await readFile(home("settings.json"), "utf8")).toBe("{broken");
  });

  it("CF-01 list names where each value comes from: default, user, project once it is trusted", async () => {
    await box.run(["config", "set", "permissionMode", "ask"]);
    const file = await project("permissionMode: read-only\nretry: { maxRetries: 1 }\n");
    const line = async (key: string) =>
      (await box.run(["config", "list"])).stdout.split("\n").find((row) => row.startsWith(`${key} `)) ?? "";
    expect(await line("permissionMode")).toContain(home("config.yml"));
    expect(await line("retry.maxRetries")).toMatch(/ 8 +default /);
    await box.run(["trust"]);
    expect(await line("permissionMode")).toMatch(new RegExp(` read-only +${file} `));
    expect(await line("retry.maxRetries")).toMatch(new RegExp(` 1 +${file} `));
    expect((await box.run(["config", "path"])).stdout).toBe(`${home("config.yml")}\n`);
  });

  it("CF-01 EX-02 a trusted project's settings.json counts, below its config.yml, and only as it was trusted", async () => {
    const file = join(box.dir, ".lathe/settings.json");
    await project("retry: { maxRetries: 1 }\n");
    await writeFile(file, '{"retry": {"maxRetries": 2}, "steeringMode": "all"}');
    const { stderr } = await box.run(["config", "get", "steeringMode"]);
    expect(stderr).toContain("ignored: .lathe/settings.json, .lathe/config.yml");
    expect((await box.run(["trust"])).stdout).toContain("settings.json");
    expect(await get("steeringMode")).toBe("all");
    expect(await get("retry.maxRetries")).toBe("1");
    await writeFile(file, '{"steeringMode": "all", "permissionMode": "full"}');
    expect(await get("steeringMode")).toBe("one-at-a-time");
  });

  it("an unknown key in the file is a warning with the nearest name, and the run goes on", async () => {
    await mkdir(home(""), { recursive: true });
    await writeFile(home("config.yml"), "modle: practice/basic\nmodel: practice/basic\n");
    const { code, stderr } = await box.run(["--no-session", "what can you do"]);
    expect(stderr).toBe(`lathe: ${home("config.yml")}:1: unknown setting modle (did you mean model?)\n`);
    expect(code).toBe(0);
  });

  it("CF-03 a wrong value stops a run with file, line and key; the command that the message names mends it", async () => {
    await mkdir(home(""), { recursive: true });
    await writeFile(
      home("config.yml"),
      "model: practice/basic\ndisabledProviders:\n  - path: relative/dir\n    providers: [openai]\n",
    );
    const { code, stderr } = await box.run(["-p", "hi"]);
    expect(code).toBe(2);
    expect(stderr).toContain(
      `${home("config.yml")}:2: disabledProviders[0].path must be a folder that begins with / or ~/`,
    );
    expect(await box.run(["config", "set", "disabledProviders", "openai"])).toMatchObject({ code: 0, stderr: "" });
    expect(await get("disabledProviders")).toBe("openai");
  });

  it.each([
    [["get", "modle"], "Unknown setting modle. Did you mean model? See: lathe config list"],
    [["get"], "Name a setting. See: lathe config list"],
    [["set", "model"], "Give a value: lathe config set model <value>"],
    [["set", "retry.maxRetries", "many"], 'retry.maxRetries must be a whole number of at least 0, not "many".'],
    [
      ["set", "permissionMode", "yolo"],
      'permissionMode must be one of read-only, ask, auto-edit, full, plan, not "yolo".',
    ],
    [["list", "--json"], "lathe config list takes nothing more, not --json."],
    [["get", "model", "--config"], "lathe config get takes one setting, not --config."],
    [
      ["drop"],
      'Unknown command "lathe config drop". Choose one of list, get, set, unset, path. See: lathe config --help',
    ],
  ])("CF-03 lathe config %j is refused with the next step", async (args, message) => {
    expect(await box.run(["config", ...args])).toMatchObject({ code: 2, stderr: `lathe: ${message}\n` });
  });

  it("CF-01 set says so when the project's file decides in this folder", async () => {
    await project("model: a/b\n");
    expect(await box.run(["config", "set", "model", "c/d"])).toMatchObject({ code: 0, stderr: "" });
    await box.run(["trust"]);
    expect(await box.run(["config", "set", "model", "e/f"])).toMatchObject({
      code: 0,
      stderr: `lathe: model is set in ${home("config.yml")}, but in this folder ${join(box.dir, ".lathe/config.yml")} overrides it.\n`,
    });
  });

  it("CF-06 LATHE_HOME moves everything: nothing else appears below the user's home", async () => {
    await rm(join(box.home, ".lathe"), { recursive: true });
    const elsewhere = join(box.dir, "..", "elsewhere");
    const env = { LATHE_HOME: elsewhere };
    await box.run(["config", "set", "model", "practice/basic"], { env });
    await box.run(["login", "openai"], { env, stdin: "k" });
    await box.run(["trust"], { env });
    await box.run(["-p", "hello"], { env });
    expect((await stat(elsewhere)).isDirectory()).toBe(true);
    await expect(stat(join(box.home, ".lathe"))).rejects.toThrow("ENOENT");
  });
});

describe("lathe trust", () => {
  it("trusts a folder and what its settings say, lists it, and takes it back", async () => {
    expect((await box.run(["trust"])).stdout).toBe(
      `Trusted: ${box.dir}\nIt has no settings, models, .env, hooks, servers or extensions yet. Files that you add or change later are ignored until you run lathe trust again.\n`,
    );
    expect((await box.run(["trust", "--list"])).stdout).toBe(`${box.dir}\n`);
    await mkdir(join(box.dir, "below"));
    await mkdir(join(box.dir, "below/.lathe"));
    await writeFile(join(box.dir, "below/.lathe/config.yml"), "model: practice/other\n");
    const inside = { cwd: join(box.dir, "below") };
    // Settings that came after the trust have not been reviewed.
    expect((await box.run(["config", "get", "model"], inside)).stdout).toBe("\n");
    await box.run(["trust"], inside);
    expect((await box.run(["config", "get", "model"], inside)).stdout).toBe("practice/other\n");
    await box.run(["trust", "--remove"], inside);
    expect((await box.run(["trust", "--remove"])).stdout).toBe(`No longer trusted: ${box.dir}\n`);
    expect((await box.run(["config", "get", "model"], inside)).stdout).toBe("\n");
    expect(await box.run(["trust", "nowhere"])).toMatchObject({
      code: 2,
      stderr: `lathe: ${join(box.dir, "nowhere")} is not a directory. Name the folder to trust.\n`,
    });
  });

  it("the user's own home is no stranger's folder, and trust in it does not reach what is below", async () => {
    await box.run(["config", "set", "model", "practice/basic"]);
    await writeFile(join(box.home, ".env"), "A=1\n");
    const atHome = { cwd: box.home };
    expect(await box.run(["-p", "hello"], atHome)).toMatchObject({ code: 0, stderr: "" });
    expect((await box.run(["trust"], atHome)).stdout).toContain(
      `Trusted: ${box.home} (only this folder, not those below it)\n`,
    );
    await mkdir(join(box.home, "fetched/.lathe"), { recursive: true });
    await writeFile(join(box.home, "fetched/.lathe/config.yml"), "model: evil/x\n");
    const below = await box.run(["config", "get", "model"], { cwd: join(box.home, "fetched") });
    expect(below).toMatchObject({ stdout: "practice/basic\n", stderr: expect.stringContaining("not trusted") });
  });

  it("a stranger's folder cannot send a key elsewhere: its files are named in one line and left out", async () => {
    await using stranger = await startModelServer({ script: () => turn.text("mine") });
    await box.run(["config", "set", "retry.enabled", "false"]);
    await writeFile(join(box.dir, ".env"), `LITELLM_BASE_URL=${stranger.baseUrl("chat")}\n`);
    await project("model: litellm/any\n");
    await writeFile(
      join(box.dir, ".lathe/models.yml"),
      `providers:\n  litellm:\n    baseUrl: ${stranger.baseUrl("chat")}\n`,
    );
    const ask = () =>
      box.run(["--no-session", "--model", "litellm/any", "hello"], { env: { LITELLM_API_KEY: "secret" } });
    // Nothing listens at the provider's own address.
    const { code, stderr } = await ask();
    expect(stderr).toContain(
      "lathe: This folder is not trusted; ignored: .lathe/config.yml, .lathe/models.yml, .env. To let them take effect: lathe trust\n",
    );
    expect(code).toBe(3);
    expect(stranger.requests).toHaveLength(0);
    await box.run(["trust"]);
    expect(await ask()).toMatchObject({ code: 0, stdout: "mine\n" });
  });
});
