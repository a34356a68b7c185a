// Finds which units a plain run uses before its first request: it starts one for each of the big vendors and with the
// tools of all other models, inside a project with a language server and outside, against a local server that never
// answers. A start need not read what none of these runs asks for. It also finds which units a run uses in addition if
// its user has skills, commands, rules and servers, and which it uses once it is answered.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A name from the catalog; an unknown name makes a run search all models. */
const MODELS = [["openai/gpt-5.2"], ["anthropic/claude-opus-4-6"], ["gemini/gemini-3.5-flash"]];
/** The tools that models of other vendors get. */
const OTHERS = ["openai/gpt-5.2", "--profile", "lathe"];
const KEYS = { OPENAI_API_KEY: "none", ANTHROPIC_API_KEY: "none", GEMINI_API_KEY: "none" };
const PATIENCE_MS = 10_000;

/** A moment after the request was written to its connection, since sending it belongs to the start. */
const HOOK = `
globalThis.__asked = [];
const note = () => require("node:fs").writeFileSync(process.env.LATHE_ASKED, JSON.stringify(globalThis.__asked));
if (process.env.LATHE_ASKED_AFTER === "exit") process.on("exit", note);
else process.once("lathe:first-request", () => setTimeout(() => {
  note();
  process.kill(process.pid, "SIGKILL");
}, Number(process.env.LATHE_ASKED_AFTER)));
`;

/** A pack that records which of its units are asked for. */
export const noteUse = (code) => code.replace("(function(id){", "(function(id){globalThis.__asked.push(id);");

/** An MCP server with one tool. It is started once; after that its tools are known and no start waits for it. */
const SERVER = `
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const results = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
    "tools/list": { tools: [{ name: "t", description: "", inputSchema: { type: "object" } }] },
  };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }));
});
`;

/**
 * Ids of the units of a `plain` start and of one with `files`; undefined if no run got as far as a request: then
 * everything counts as used.
 * @param write writes the command to a folder, with a recording start pack
 * @param answers bytes of a short answer by request path, for each vendor
 */
export async function usedAtStart(write, answers) {
  const folder = mkdtempSync(join(tmpdir(), "lathe-build-"));
  const server = createServer().listen(0, "127.0.0.1");
  const answering = createHttpServer((request, response) => answer(request, response, answers)).listen(0, "127.0.0.1");
  try {
    await Promise.all([once(server, "listening"), once(answering, "listening")]);
    await write(folder);
    writeFileSync(join(folder, "hook.cjs"), HOOK);
    const used = new Set();
    const { port } = server.address();
    for (const model of [...MODELS, OTHERS]) for (const id of await askedBy(model, folder, folder, port)) used.add(id);
    const repository = repositoryIn(folder);
    for (const id of await askedBy(MODELS[0], folder, repository, port)) used.add(id);
    if (used.size === 0) return undefined;
    const answered = new Set();
    for (const model of MODELS)
      for (const id of await askedBy(model, folder, folder, answering.address().port, "exit")) answered.add(id);
    fillHome(join(folder, "home"));
    // Long enough to store what the server offers.
    await askedBy(MODELS[0], folder, repository, port, 500);
    return { plain: used, answered, files: new Set(await askedBy(MODELS[0], folder, repository, port)) };
  } finally {
    server.close();
    answering.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function answer(request, response, answers) {
  const [, bytes] = Object.entries(answers).find(([path]) => request.url.includes(path)) ?? [];
  request.resume();
  request.once("end", () =>
    response.writeHead(bytes ? 200 : 404, { "content-type": "text/event-stream", connection: "close" }).end(bytes),
  );
}

/**
 * The minimum that git accepts as a repository, whether or not git is installed, and the minimum that makes us start a
 * language server.
 */
function repositoryIn(folder) {
  const repository = join(folder, "repository");
  for (const name of ["objects", "refs"]) mkdirSync(join(repository, ".git", name), { recursive: true });
  writeFileSync(join(repository, ".git", "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(repository, "tsconfig.json"), "{}\n");
  return repository;
}

/** One of each kind of file that users have many of. */
function fillHome(home) {
  const files = {
    "skills/one/SKILL.md": "---\nname: one\ndescription: A skill\n---\nText.\n",
    "commands/two.md": "---\ndescription: A command\n---\nText.\n",
    "rules/three.md": "---\ndescription: A rule\nalwaysApply: true\n---\nText.\n",
    "mcp.json": JSON.stringify({ mcpServers: { four: { command: process.execPath, args: ["-e", SERVER] } } }),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
}

async function askedBy(model, folder, cwd, port, afterMs = 20) {
  const asked = join(folder, "asked.json");
  writeFileSync(asked, "[]");
  const words = ["--model", ...model, "--base-url", `http://127.0.0.1:${port}`, "-p", "hello"];
  const child = spawn(process.execPath, ["--require", join(folder, "hook.cjs"), join(folder, "cli.js"), ...words], {
    cwd,
    env: {
      ...KEYS,
      PATH: process.env.PATH,
      HOME: folder,
      LATHE_HOME: join(folder, "home"),
      LATHE_ASKED: asked,
      LATHE_ASKED_AFTER: String(afterMs),
    },
    stdio: "ignore",
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
  });
  await once(child, "close");
  return JSON.parse(readFileSync(asked, "utf8"));
}
