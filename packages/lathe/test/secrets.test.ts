// Keys and passwords: what commands see of them, and that a run leaves none in its traces.

import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { errorLines, KEY, type Stage, stage } from "./contract-kit.ts";
import { type Box, makeBox } from "./sessions-box.ts";
import { answer, result, user } from "./sessions-fixture.ts";

let scene: Stage | undefined;
let box: Box | undefined;
afterEach(async () => {
  await scene?.close();
  box?.remove();
  scene = undefined;
  box = undefined;
});

const SECRETS = {
  PGPASSWORD: "hunter2-hunter2",
  DATABASE_URL: "postgres://app:p4ssw0rd-of-db@db.internal/app",
  GH_PAT: "ghp_0123456789abcdefABCDEF",
  stored: "sk-stored-0123456789abcdef",
  file: "sk-models-0123456789abcdef",
};
const VALUES = [KEY, SECRETS.PGPASSWORD, "p4ssw0rd-of-db", SECRETS.GH_PAT, SECRETS.stored, SECRETS.file];
const full = ["--permission-mode", "full"];
const shell = (command: string) => turn.calls([{ name: "shell", args: { command } }]);

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe("known secrets", () => {
  it("D3 EE-03 are in no event, journal, artifact, recording or page, wherever a tool found them", async () => {
    const look =
      "cat .env; tr '\\0' '\\n' < /proc/$PPID/environ; cat ../home/.lathe/*.{json,yml}; yes $(cat .env) | head -c 2000000";
    scene = await stage([
      turn.calls([
        { name: "read_file", args: { file_path: ".env" } },
        { name: "shell", args: { command: look } },
        { name: "grep", args: { pattern: "=", path: ".env" } },
      ]),
      turn.text("done"),
    ]);
    const { env, home, dir } = { ...scene.box, env: scene.env };
    const latheHome = join(home, ".lathe");
    await mkdir(latheHome, { recursive: true });
    await writeFile(join(latheHome, "auth.json"), JSON.stringify({ openai: { type: "api_key", key: SECRETS.stored } }));
    await writeFile(
      join(latheHome, "models.yml"),
      `providers:\n  groq:\n    baseUrl: http://127.0.0.1:9\n    apiKey: ${SECRETS.file}\n`,
    );
    await writeFile(join(dir, ".env"), `${VALUES.map((value, n) => `K${n}=${value}`).join("\n")}\n`);
    const { stored: _stored, file: _file, ...variables } = SECRETS;
    const run = await scene.run([...full, "--mode", "json", "--record", join(home, "rec"), `what is ${KEY}?`], {
      env: { ...env, ...variables },
    });
    expect(run.code).toBe(0);
    const { sessionId } = JSON.parse(run.stdout.trimEnd().split("\n").at(-1)!) as { sessionId: string };
    expect(await scene.box.run(["sessions", "export", sessionId, "-o", "page.html"])).toMatchObject({ code: 0 });
    const traces = new Map([
      ["stdout", run.stdout],
      ["stderr", run.stderr],
    ]);
    for (const file of [...(await filesBelow(home)), join(dir, "page.html")]) {
      if (!/(auth\.json|models\.yml)$/.test(file)) traces.set(file, await readFile(file, "latin1"));
    }
    for (const request of scene.server.requests) traces.set(`request ${request.path}`, JSON.stringify(request.body));
    for (const [where, text] of traces) {
      for (const value of VALUES) expect(text.includes(value), `${value} in ${where}`).toBe(false);
    }
    expect(run.stdout).toContain("[redacted:ANTHROPIC_API_KEY]");
    expect(run.stdout).toContain("K4=[redacted:openai]");
    expect(run.stdout).toContain("K5=[redacted:groq]");
    const replayed = await scene.box.run(["replay", join(home, "rec")]);
    expect(replayed.stderr).toContain("The journal is identical");
  });

  it("D3 a page is for its owner alone, also over an older file, and holds no secret of an older session", async () => {
    box = makeBox({ OPENAI_API_KEY: KEY });
    const { id, journal } = box.maker.make({ cwd: box.dir });
    journal.append(user(`my key is ${KEY}`));
    journal.append(answer("thanks"));
    journal.append(result("c", `${KEY}\n`));
    await journal.close();
    const file = join(box.dir, "page.html");
    await writeFile(file, "");
    await chmod(file, 0o666);
    expect(await box.run("sessions", "export", id, "-o", file)).toMatchObject({ code: 0 });
    const page = await readFile(file, "utf8");
    expect(page).toContain("my key is [redacted:OPENAI_API_KEY]");
    expect(page).not.toContain(KEY);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("AU-07 a page holds no key that nobody told Lathe of, while the session keeps it", async () => {
    box = makeBox();
    const key = `ghp_${"a1B2".repeat(9)}`;
    const { id, journal, path } = box.maker.make({ cwd: box.dir });
    journal.append(user(`my token is ${key}, at commit 6b7cd83ad9a3a8d1f0b7fd2b9f10a8a3c6e1f0aa`));
    journal.append(answer("thanks"));
    journal.append(result("c", `Authorization: Bearer ${key}x\n`));
    await journal.close();
    const file = join(box.dir, "page.html");
    expect(await box.run("sessions", "export", id, "-o", file)).toMatchObject({ code: 0 });
    const page = await readFile(file, "utf8");
    expect(page).toContain("my token is [redacted:github-token], at commit 6b7cd83ad9a3a8d1f0b7fd2b9f10a8a3c6e1f0aa");
    expect(page).not.toContain(key);
    expect(await readFile(path, "utf8")).toContain(key);
  });

  it("D3 a key on the command line is used, with a warning", async () => {
    scene = await stage([turn.text("fine")]);
    const run = await scene.run(["--api-key", "sk-from-option-12345", "-p", "hi"]);
    expect(run).toMatchObject({ code: 0, stdout: "fine\n" });
    expect(errorLines(run.stderr)).toEqual([expect.stringContaining("--api-key")]);
    expect(scene.server.requests[0]?.headers["x-api-key"]).toBe("sk-from-option-12345");
  });
});

describe("variables that commands do not see", () => {
  const NOTICE = /Commands do not see these environment variables: (.*)\. To pass/;

  it("EE-03 D3 are named once, and again only when there are others; keys for models are no news", async () => {
    scene = await stage([]);
    const said = async (env: Record<string, string>): Promise<string | undefined> => {
      scene!.server.push(shell("true"), turn.text("done"));
      const { stderr } = await scene!.run([...full, "-p", "go"], { env });
      return NOTICE.exec(stderr)?.[1];
    };
    expect(await said({ MY_VAR: "1", GH_PAT: "2", DB: "postgres://u:pw@db.internal/x" })).toBe("GH_PAT, DB");
    expect(await said({ MY_VAR: "1", GH_PAT: "2" })).toBeUndefined();
    // Which terminal it is matters to no command.
    expect(
      await said({ TMUX: "/t,1,0", TMUX_PANE: "%1", STY: "1.s", WINDOWID: "7", TERM_PROGRAM: "t" }),
    ).toBeUndefined();
    const eight = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`V${n}_TOKEN`, "x"]));
    expect(await said(eight)).toBe("V0_TOKEN, V1_TOKEN, V2_TOKEN, V3_TOKEN, V4_TOKEN, V5_TOKEN and 2 more");
    // Not for git, which Lathe itself asks.
    execFileSync("git", ["init", "-q", scene.box.dir]);
    scene.server.push(turn.text("no command was run"));
    expect((await scene.run(["-p", "go"], { env: { NEW_TOKEN: "1" } })).stderr).toBe("");
  });

  it("EE-03 D3 shell.env.pass lets names and patterns through", async () => {
    scene = await stage([shell("env"), turn.text("done")]);
    expect(await scene.box.run(["config", "set", "shell.env.pass", "GH_PAT,MY_*"])).toMatchObject({ code: 0 });
    const env = {
      GH_PAT: "pat",
      MY_ONE: "1",
      OTHER_PAT: "2",
      https_proxy: "http://127.0.0.1:9",
      NO_PROXY: "127.0.0.1",
      CI: "true",
    };
    const run = await scene.run([...full, "--mode", "json", "go"], { env });
    const names = [...run.stdout.matchAll(/(?:\\n|")(\w+)=/g)].map((match) => match[1]);
    expect(names).toEqual(expect.arrayContaining(["GH_PAT", "MY_ONE", "https_proxy", "NO_PROXY", "CI", "PATH"]));
    expect(names).not.toContain("OTHER_PAT");
    expect(names).not.toContain("ANTHROPIC_API_KEY");
  });

  it("EE-03 rails, psql and aws find their variables; no planted key reaches them or a request", async () => {
    const bin = join(tmpdir(), `stand-ins-${process.pid}`);
    await mkdir(bin, { recursive: true });
    for (const name of ["rails", "psql", "aws"]) await writeFile(join(bin, name), "#!/bin/sh\nenv\n", { mode: 0o755 });
    const needed = {
      RAILS_ENV: "test",
      DATABASE_URL: "postgres://app:app@localhost/app",
      PGHOST: "db.internal",
      AWS_PROFILE: "staging",
    };
    const planted = {
      STRIPE_SECRET: "planted-by-name-0123456789",
      HARMLESS: "ghp_plantedByValue0123456789abcdefghijkl0",
      CACHE: "redis://:planted-in-a-url-77@cache.internal:6379",
    };
    scene = await stage([shell("rails test; psql; aws s3 ls"), turn.text("done")]);
    const env = { ...needed, ...planted, PATH: `${bin}:${process.env["PATH"]}` };
    const run = await scene.run([...full, "--mode", "json", "go"], { env });
    await rm(bin, { recursive: true });
    const sent = JSON.stringify(scene.server.requests.at(-1)?.body);
    for (const [name, value] of Object.entries(needed)) expect(sent.split(`${name}=${value}`)).toHaveLength(4);
    for (const name of Object.keys(planted)) expect(sent).not.toContain(`${name}=`);
    for (const text of [sent, run.stdout]) expect(text).not.toMatch(/planted[-B]/);
  });
});
