// Known secrets in input from outside: none of them may reach the journal, the model, the host or an artifact.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Middleware } from "../../src/contract/seams/types.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import { Redactor } from "../../src/policy/redact/redactor.ts";
import { openJournalFile } from "../../src/record/journal/open-file.ts";
import { readFileTool } from "../../src/tools/builtin/read-file/index.ts";
import { shellTool } from "../../src/tools/builtin/shell/index.ts";
import { writeFileTool } from "../../src/tools/builtin/write-file/index.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { type SetupOptions, setUp, testDeps, testProfile, tool } from "../support/session.ts";

const KEY = "sk-ant-0123456789abcdef";

it("D3 a key in a file, in output, in an error, in details and in what people type is nowhere to be found afterwards", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lathe-secrets-"));
  writeFileSync(join(folder, ".env"), `KEY=${KEY}\n`);
  const env = new LocalEnvironment({ cwd: folder, baseEnv: { PATH: process.env["PATH"] } });
  const deps = testDeps();
  const path = join(folder, "session.jsonl");
  const journal = openJournalFile({ path, cwd: folder, deps });
  const fails = tool("fails", () => {
    throw new Error(`401 for ${KEY}`);
  });
  const details = tool("details", () => ({ content: [{ kind: "text", text: "ok" }], details: { deep: [KEY] } }));
  const calls = [
    { name: "read_file", args: { file_path: ".env" } },
    { name: "shell", args: { command: "printf sk-ant-; sleep 0.1; printf '0123456789abcdef\\n'" } },
    { name: "shell", args: { command: "cat .env; yes $(cat .env) | head -c 3000000" } },
    { name: "fails", args: {} },
    { name: "details", args: {} },
  ].map((call, index) => ({ ...call, id: `c${index}` }));
  const s = setUp({
    env,
    deps,
    journal,
    redactor: new Redactor(() => [{ name: "THE_KEY", value: KEY }]),
    profile: testProfile([readFileTool, shellTool, fails, details] as unknown as ToolDef[]),
    surroundings: () => ({ environment: `env ${KEY}`, projectDocs: `docs ${KEY}` }),
    script: (_request, index) => (index === 0 ? { calls } : { text: "done" }),
  });
  s.session.steer(`steered ${KEY}`);
  await s.session.submit(`why does ${KEY} fail?`);
  await s.finish();
  await env.cleanup();

  expect(JSON.stringify(s.events)).not.toContain(KEY);
  expect(JSON.stringify(s.client.requests)).not.toContain(KEY);
  writeFileSync(join(folder, ".env"), "");
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (file.isFile()) expect(readFileSync(join(file.parentPath, file.name)).includes(KEY), file.name).toBe(false);
  }
  const written = readFileSync(path, "utf8");
  for (const before of ["why does ", "steered ", "401 for ", "KEY="])
    expect(written).toContain(`${before}[redacted:THE_KEY]`);
  // Users are told how many values were removed.
  const outcomes = s.of("tool_call_end").map(({ data }) => data.card.outcome ?? "");
  expect(outcomes[0]).toContain("1 secret value replaced");
  const shown = s.of("tool_call_output_delta").filter(({ data }) => data.call_id === "c1");
  expect(shown.map(({ data }) => data.delta).join("")).toBe("[redacted:THE_KEY]\n");
});

it("D3 what the model writes is left as it is: its signatures are made for exactly that", async () => {
  const s = setUp({
    redactor: new Redactor(() => [{ name: "THE_KEY", value: KEY }]),
    script: (_request, index) => (index === 0 ? { calls: [{ name: "echo", args: { text: KEY } }] } : { text: KEY }),
  });
  await s.session.submit("go");
  await s.finish();
  expect(s.session.lastText()).toBe(KEY);
  const { arguments: given, ...shown } = s.of("tool_call_start")[0]!.data;
  expect(given).toEqual({ text: KEY });
  // Users see no secret value, neither while the call runs nor at its end.
  expect(shown.card.subject).toContain("[redacted:THE_KEY]");
  expect(JSON.stringify(shown)).not.toContain(KEY);
  expect(s.of("tool_call_end")[0]?.data.output).toBe('echo {"text":"[redacted:THE_KEY]"}');
});

const PLACEHOLDER = "[redacted:THE_KEY]";
const folderWith = (files: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(join(tmpdir(), "lathe-secrets-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
};

/** A session whose model reads the key and then makes these calls, one at a time. */
async function afterReading(
  folder: string,
  calls: readonly { name: string; args: Record<string, string> }[],
  more: Partial<SetupOptions> = {},
) {
  const env = new LocalEnvironment({ cwd: folder, baseEnv: { PATH: process.env["PATH"] } });
  const all = [{ name: "read_file", args: { file_path: "app.conf" } }, ...calls];
  const s = setUp({
    env,
    redactor: new Redactor(() => [
      { name: "THE_KEY", value: KEY },
      { name: "OTHER", value: `other-${KEY}` },
    ]),
    profile: testProfile([readFileTool, writeFileTool, shellTool] as unknown as ToolDef[]),
    script: (_request, index) => {
      const call = all[index];
      return call ? { calls: [{ ...call, id: `c${index}` }] } : { text: "done" };
    },
    ...more,
  });
  await s.session.submit("go");
  await s.finish();
  await env.cleanup();
  expect(JSON.stringify(s.events)).not.toContain(KEY);
  return { ...s, results: s.of("tool_call_end").slice(1) };
}

it("AU-07 a file that holds a secret can be written again with its placeholder; another file gets no value", async () => {
  const folder = folderWith({ "app.conf": `k=${KEY}\n` });
  const content = `k=${PLACEHOLDER} [redacted:OTHER]\n`;
  const { results } = await afterReading(folder, [
    { name: "write_file", args: { file_path: "app.conf", content } },
    { name: "write_file", args: { file_path: "copy.txt", content } },
  ]);
  expect(readFileSync(join(folder, "app.conf"), "utf8")).toBe(`k=${KEY} [redacted:OTHER]\n`);
  expect(readFileSync(join(folder, "copy.txt"), "utf8")).toBe(content);
  expect(results.map(({ data }) => data.output?.includes(`${PLACEHOLDER} stayed in the call as written`))).toEqual([
    false,
    true,
  ]);
});

it.each([
  `echo '${PLACEHOLDER}' | rev`,
  `base64 <<< '${PLACEHOLDER}'`,
  `cut -c3- <<< '${PLACEHOLDER}'`,
  `echo '${PLACEHOLDER}' | tr a-z A-Z`,
  `printf '%s' '${PLACEHOLDER}' | od -c`,
  `cat > leak.txt <<'EOF'\n${PLACEHOLDER}\nEOF\nrev leak.txt`,
])("AU-07 no command turns a placeholder into text for the model: %s", async (command) => {
  const folder = folderWith({ "app.conf": `k=${KEY}\n` });
  const { results, client } = await afterReading(folder, [{ name: "shell", args: { command } }]);
  const plain = execFileSync("bash", ["-c", command], { cwd: folder, encoding: "utf8" });
  expect(results[0]?.data.output).toContain(plain.trimEnd());
  expect(results[0]?.data.output).toContain(`${PLACEHOLDER} stayed in the call as written`);
  for (const hidden of [KEY, [...KEY].reverse().join(""), KEY.slice(2), KEY.toUpperCase(), btoa(KEY).slice(0, 20)])
    expect(JSON.stringify(client.requests)).not.toContain(hidden);
});

it("AU-07 curl sends a secret to the host that it belongs to, and to no other", async () => {
  const got: string[] = [];
  const serve = async () => {
    const server = createServer((request, response) => {
      got.push(`${request.url} ${request.headers.authorization}`);
      response.end("ok");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    return { server, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
  };
  const [own, other] = [await serve(), await serve()];
  const send = (host: string, path: string) => ({
    name: "shell",
    args: { command: `curl -s -H "Authorization: Bearer ${PLACEHOLDER}" http://${host}/${path}` },
  });
  const folder = folderWith({ "app.conf": `k=${KEY}\n` });
  await afterReading(folder, [send(own.host, "own"), send(other.host, "other")], {
    redactor: new Redactor(
      () => [{ name: "THE_KEY", value: KEY }],
      () => [own.host],
    ),
  });
  for (const { server } of [own, other]) server.close();
  expect(got).toEqual([`/own Bearer ${KEY}`, `/other Bearer ${PLACEHOLDER}`]);
});

it("AU-07 where the user can be asked, the question names the secret, and with a yes the command gets it", async () => {
  const folder = folderWith({ "app.conf": `k=${KEY}\n` });
  const seen: unknown[] = [];
  const approve: Middleware = {
    name: "asks",
    approve: ({ access = [] }) => {
      seen.push(...access.filter(({ kind }) => kind === "secret"));
      return undefined;
    },
  };
  const { results } = await afterReading(
    folder,
    [{ name: "shell", args: { command: `printf %s '${PLACEHOLDER}' | wc -c` } }],
    {
      asksAboutSecrets: () => true,
      middleware: [approve],
    },
  );
  expect(seen).toEqual([
    {
      kind: "secret",
      name: "THE_KEY",
      reason: "It would give the command the value of THE_KEY, which belongs to api.anthropic.com.",
    },
  ]);
  expect(results[0]?.data.output?.split("\n")[0]).toBe(String(KEY.length));
});

it("AU-07 what leaves the machine or only reads gets placeholders as they are", async () => {
  const got: unknown[] = [];
  const take = (tier: "read" | "network"): ToolDef =>
    tool(
      tier,
      (args) => {
        got.push(args);
        return "ok";
      },
      { tier, access: () => [{ kind: "network", host: "api.anthropic.com" }] },
    );
  const args = { text: PLACEHOLDER };
  const folder = folderWith({ "app.conf": `k=${KEY}\n` });
  await afterReading(
    folder,
    ["read", "network"].map((name) => ({ name, args })),
    {
      profile: testProfile([readFileTool, take("read"), take("network")] as unknown as ToolDef[]),
    },
  );
  expect(got).toEqual([args, args]);
});
