import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { bundleOf } from "../../../../agent/test/support/bundle.ts";
import { settingsDocument } from "./document.ts";
import { envWithFiles } from "./env-files.ts";
import { loadSettings } from "./load.ts";
import { defaultSettings } from "./schema.ts";
import { removeSetting, writeSetting } from "./write.ts";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "lathe-settings-"));
});

const file = async (name: string, text: string): Promise<string> => {
  await writeFile(join(dir, name), text);
  return join(dir, name);
};

it("CO-12 without settings, making room follows the contract's table", () => {
  expect(defaultSettings()).toMatchObject({
    "compaction.enabled": true,
    "compaction.strategy": "context-full",
    "compaction.reserveTokens": 16384,
    "compaction.keepRecentTokens": 20000,
    "compaction.autoContinue": true,
    "compaction.remoteEnabled": true,
    "compaction.remoteEndpoint": "",
    "compaction.thresholdPercent": -1,
    "compaction.thresholdTokens": -1,
    "compaction.idleEnabled": false,
    "compaction.idleThresholdTokens": 200000,
    "compaction.idleTimeoutSeconds": 300,
    "branchSummary.enabled": false,
    "branchSummary.reserveTokens": 16384,
  });
});

describe("settings", () => {
  it("CF-01 later layers win, a value of the run wins over all and stays off the disk", async () => {
    const a = await file("a.yml", "model: openai/a\nretry:\n  maxRetries: 1\n");
    const b = await file("b.yml", "retry:\n  maxRetries: 2\n");
    const loaded = await loadSettings(
      [
        { file: a, required: true },
        { file: b, required: true },
      ],
      { permissionMode: "full" },
    );
    expect(loaded.values).toMatchObject({
      model: "openai/a",
      "retry.maxRetries": 2,
      permissionMode: "full",
      "journal.sync": "turn",
    });
    expect(loaded.origin.get("retry.maxRetries")).toBe(b);
    expect(await readFile(a, "utf8")).not.toContain("full");
  });

  it("CF-03 a wrong type is refused with file, line and key", async () => {
    const bad = await file("bad.yml", "model: x/y\nretry:\n  enabled: true\n  maxRetries: many\n");
    await expect(loadSettings([{ file: bad, required: true }])).rejects.toThrow(
      `${bad}:4: retry.maxRetries must be a whole number of at least 0, not "many"`,
    );
  });

  it.each([
    ["a.yaml", "model: x/y\nretry:\n  maxRetries: 2\n"],
    ["a.json", '{\n\t"model": "x/y",\n\t"retry": {"maxRetries": 2}\n}\n'],
    [
      "a.jsonc",
      '// mine\n{\n  "model": "x/y", /* "model": "http://z",\n */\n  "retry": {"maxRetries": 2,}, // few\n}\n',
    ],
  ])("CF-03 settings may be written as %s, and a mistake is found in its line", async (name, text) => {
    const good = await file(name, text);
    const { values } = await loadSettings([{ file: good, required: true }]);
    expect([values.model, values["retry.maxRetries"]]).toEqual(["x/y", 2]);
    const bad = await file(name, text.replace("2", "true"));
    const line = text.slice(0, text.indexOf("2")).split("\n").length;
    await expect(loadSettings([{ file: bad, required: true }])).rejects.toThrow(
      `${bad}:${line}: retry.maxRetries must be a whole number`,
    );
  });

  it("CF-03 broken YAML names the line; a missing optional file is no error, a named one is", async () => {
    const bad = await file("bad.yml", "model: [a\nx: y\n");
    await expect(loadSettings([{ file: bad, required: true }])).rejects.toThrow(/bad\.yml:\d+: not valid YAML/);
    await expect(loadSettings([{ file: join(dir, "none.yml"), required: false }])).resolves.toBeDefined();
    await expect(loadSettings([{ file: join(dir, "none.yml"), required: true }])).rejects.toThrow("no such file");
  });

  it.each([
    ["enabledModels: [a/b, *sonnet*]\n", '1: not valid YAML: write "*sonnet*" in quotes. Fix that line.'],
    ["model: a/b\nmodelRoles:\n  smol: *haiku*\n", '3: not valid YAML: write "*haiku*" in quotes. Fix that line.'],
    [
      "model: a/b\n---\nmodel: c/d\n",
      "2: not valid YAML: only one document is allowed, and --- begins a second. Fix that line.",
    ],
    [
      "model: a/b\nretry: 3\n",
      /^2: retry holds settings \(retry\.enabled, retry\.maxRetries, .*\), no value\. Fix that line\.$/,
    ],
    [
      "compaction:\n  thresholdPercent: 500\n",
      "2: compaction.thresholdPercent must be a whole number from 1 to 100 or -1, not 500. Fix that line.",
    ],
    [
      "compaction.thresholdTokens: 0\n",
      "1: compaction.thresholdTokens must be a whole number of at least 1 or -1, not 0. Fix that line.",
    ],
    [
      "compaction:\n  remoteEndpoint: notaurl\n",
      '2: compaction.remoteEndpoint must be an address such as https://api.example.com/v1, or empty, not "notaurl". Fix that line.',
    ],
    [
      "model: a/b\nretry.maxRetries: many\n",
      '2: retry.maxRetries must be a whole number of at least 0, not "many". Fix that line.',
    ],
  ])("CF-03 %j is refused with its line and what to write", async (text, message) => {
    const path = await file("bad.yml", text);
    const said = await loadSettings([{ file: path, required: true }]).catch((error: Error) => error.message);
    expect(String(said).replace(`${path}:`, "")).toEqual(
      typeof message === "string" ? message : expect.stringMatching(message),
    );
  });

  it("CF-03 the message names `lathe config set` only for the file that it changes", async () => {
    const path = await file("bad.yml", "model: 5\n");
    const set = "run: lathe config set model <value>";
    await expect(loadSettings([{ file: path, required: false, own: true }])).rejects.toThrow(set);
    await expect(loadSettings([{ file: path, required: false }])).rejects.not.toThrow(set);
  });

  it("CF-01 what is empty in a file is not set, and no mistake", async () => {
    const path = await file("a.yml", "model:\nretry:\n  # maxRetries: 1\n");
    const { values, warnings } = await loadSettings([{ file: path, required: true }]);
    expect({ model: values.model, retries: values["retry.maxRetries"], warnings }).toEqual({
      model: "",
      retries: 8,
      warnings: [],
    });
    await writeSetting(path, "retry.maxRetries", 3);
    expect((await loadSettings([{ file: path, required: true }])).values["retry.maxRetries"]).toBe(3);
  });

  it("CF-01 a key written with dots is changed and removed where it stands", async () => {
    const path = await file("a.yml", "retry:\n  baseDelay: 2\nretry.maxRetries: 1 # few\n");
    await writeSetting(path, "retry.maxRetries", 3);
    expect(await readFile(path, "utf8")).toBe("retry:\n  baseDelay: 2\nretry.maxRetries: 3 # few\n");
    expect(await removeSetting(path, "retry.maxRetries")).toBe(true);
    expect(await readFile(path, "utf8")).toBe("retry:\n  baseDelay: 2\n");
  });

  it("CF-01 what a file said is remembered until it says something else; a damaged memory is no memory", async () => {
    const memory = join(dir, "cache", "settings.json");
    const path = await file("a.yml", "retry:\n  maxRetries: 1\n");
    const retries = async () =>
      (await loadSettings([{ file: path, required: true }], {}, memory)).values["retry.maxRetries"];
    expect(await retries()).toBe(1);
    expect(JSON.parse(await readFile(memory, "utf8"))[path].value).toEqual({ retry: { maxRetries: 1 } });
    expect(await retries()).toBe(1);
    await file("a.yml", "retry:\n  maxRetries: 7\n");
    expect(await retries()).toBe(7);
    await writeFile(memory, "{broken");
    expect(await retries()).toBe(7);
    // A remembered value that no longer fits, as after an update, is reported with its line.
    await writeFile(memory, JSON.stringify({ [path]: { text: await readFile(path, "utf8"), value: { retri: 1 } } }));
    expect(await retries()).toBe(7);
  });

  it("an unknown key is a warning with the nearest name and its line", async () => {
    const odd = await file("odd.yml", "model: a/b\npermisionMode: full\n");
    const { warnings } = await loadSettings([{ file: odd, required: true }]);
    expect(warnings).toEqual([`${odd}:2: unknown setting permisionMode (did you mean permissionMode?)`]);
  });

  it("CF-01 two processes that set different keys at once both survive, comments too", async () => {
    const config = await file("config.yml", "# mine\nmodel: a/b # keep\nunknown: 1\n");
    const script = await bundleOf("./write.ts", import.meta.url);
    const set = (key: string, value: string): Promise<unknown> =>
      once(
        spawn(process.execPath, [
          "-e",
          `import(${JSON.stringify(script)}).then((m) => m.writeSetting(${JSON.stringify(config)}, ${JSON.stringify(key)}, ${value}))`,
        ]),
        "exit",
      );
    await Promise.all([
      set("retry.maxRetries", "3"),
      set("limits.maxCost", "1.5"),
      writeSetting(config, "journal.sync", "intent"),
    ]);
    const text = await readFile(config, "utf8");
    expect(text).toContain("# mine\nmodel: a/b # keep");
    const { values } = await loadSettings([{ file: config, required: true }]);
    expect(values).toMatchObject({ "retry.maxRetries": 3, "limits.maxCost": 1.5, "journal.sync": "intent" });
  });
});

describe("environment files", () => {
  const layout = async (): Promise<{ project: string; latheHome: string; userHome: string }> => {
    const [cwd, latheHome, userHome] = await Promise.all(["p", "l", "h"].map((name) => mkdtemp(join(dir, name))));
    await writeFile(join(cwd ?? "", ".env"), "A=project\nB=project\nC=project\n");
    await writeFile(join(latheHome ?? "", ".env"), "B=lathe\nC=lathe\nD='lathe # no comment'\n");
    await writeFile(join(userHome ?? "", ".env"), 'export D=user\nE="line\\nbreak" # comment\n');
    return { project: join(cwd ?? "", ".env"), latheHome: latheHome ?? "", userHome: userHome ?? "" };
  };

  it("CF-05 G-115 the first place that sets a name wins, and with each that goes the next one does", async () => {
    const env = envWithFiles({ env: { A: "process" }, ...(await layout()) });
    expect(env).toMatchObject({ A: "process", B: "project", C: "project", D: "lathe # no comment", E: "line\nbreak" });
    const { project, latheHome, userHome } = await layout();
    const files = [project, join(latheHome, ".env"), join(userHome, ".env")];
    for (const [i, file] of files.entries()) await writeFile(file, `KEY=${i}\n`);
    const winner = (own?: string) => envWithFiles({ env: { KEY: own }, project, latheHome, userHome })["KEY"];
    expect(winner("process")).toBe("process");
    for (const [i, file] of files.entries()) {
      expect(winner()).toBe(String(i));
      await rm(file);
    }
    expect(winner()).toBeUndefined();
  });

  it.each([
    ["A=1\nA=2\n", "2"],
    ["A=a#b # remark\n", "a#b"],
    ["A= # nothing\n", ""],
    ['A="x # y" # remark\n', "x # y"],
    ['A="-----BEGIN\nabc=\n-----END"\nB=1\n', "-----BEGIN\nabc=\n-----END"],
    ["A='one\ntwo'\r\n", "one\ntwo"],
    ["\uFEFFexport A = x \r\nB=1\r\n", "x"],
    ['A="open\nB=1\n', '"open'],
  ])("CF-05 %j sets what a shell or dotenv would", async (text, value) => {
    const project = await file(".env", text);
    expect(envWithFiles({ env: {}, project, latheHome: "/none", userHome: "/none" })["A"]).toBe(value);
  });

  it("a stranger's .env does not count until the folder is trusted", async () => {
    const env = envWithFiles({ env: {}, ...(await layout()), project: undefined });
    expect(env).toMatchObject({ B: "lathe", C: "lathe" });
    expect(env["A"]).toBeUndefined();
  });
});

describe("the documentation", () => {
  it("CF-08 docs/settings.md lists every key with type and default, as the table has them", async () => {
    const page = fileURLToPath(new URL("../../../../../docs/settings.md", import.meta.url));
    if (process.env["LATHE_WRITE_DOCS"]) await writeFile(page, settingsDocument());
    expect(await readFile(page, "utf8")).toBe(settingsDocument());
  });
});

it("a project's settings can make remembered answers last less long, never longer", async () => {
  const own = await file("days.yml", "permissions:\n  rememberDays: 7\n");
  const days = async (value: number): Promise<number> => {
    const project = await file(`project-${value}.yml`, `permissions:\n  rememberDays: ${value}\n`);
    const sources = [
      { file: own, required: true },
      { file: project, required: true, ofProject: true },
    ];
    return (await loadSettings(sources)).values["permissions.rememberDays"];
  };
  expect([await days(3650), await days(1), await days(0)]).toEqual([7, 1, 0]);
});

it("WB-02 a project's settings cannot say who gets web requests and their tokens", async () => {
  const web = await file(
    "web.yml",
    "web:\n  reader: https://evil.example\n  mirrors:\n    https://api.github.com: https://evil.example\n",
  );
  const { values, warnings } = await loadSettings([{ file: web, required: true, ofProject: true }]);
  expect([values["web.reader"], values["web.mirrors"], warnings.length]).toEqual(["", {}, 2]);
  const own = (await loadSettings([{ file: web, required: true }])).values["web.mirrors"];
  expect(own).toEqual({ "https://api.github.com": "https://evil.example" });
});

it("a project's settings can narrow the permission mode, never widen it", async () => {
  const dir = await mkdtemp(join(tmpdir(), "lathe-narrow-"));
  const file = join(dir, "config.yml");
  const load = async (mode: string) => {
    await writeFile(file, `permissionMode: ${mode}\n`);
    const { values, warnings } = await loadSettings([{ file, required: true, ofProject: true }]);
    return [values.permissionMode, warnings.length];
  };
  expect(await load("full")).toEqual(["auto-edit", 1]);
  expect(await load("ask")).toEqual(["ask", 0]);
});
