// Which units a plain run uses before its first request: found by doing one for each of the big vendors and with the tools of all
// other models, inside a project with a language server and outside, against a server on this machine that never answers. What none
// of these runs asks for need not be read at every start.
// And which units a run uses besides when its user has skills, commands, rules and servers, and which it uses once it is answered.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** From the catalog: a name that is not in it makes a run look through all models. */
const MODELS = [["openai/gpt-5.2"], ["anthropic/claude-opus-4-6"], ["gemini/gemini-3.5-flash"]];
/** The tools of models of other vendors. */
const OTHERS = ["openai/gpt-5.2", "--profile", "lathe"];
const KEYS = { OPENAI_API_KEY: "none", ANTHROPIC_API_KEY: "none", GEMINI_API_KEY: "none" };
const PATIENCE_MS = 10_000;

/** A moment after the request was given to its connection: what sends it belongs to a start as well. */
const HOOK = `
globalThis.__asked = [];
const note = () => require("node:fs").writeFileSync(process.env.LATHE_ASKED, JSON.stringify(globalThis.__asked));
if (process.env.LATHE_ASKED_AFTER === "exit") process.on("exit", note);
else process.once("lathe:first-request", () => setTimeout(() => {
  note();
  process.kill(process.pid, "SIGKILL");
}, Number(process.env.LATHE_ASKED_AFTER)));
`;

/** A pack that notes which of its units are asked for. */
export const noteUse = (code) => code.replace("(function(id){", "(function(id){globalThis.__asked.push(id);");

/** An MCP server with one tool. It is known when it has been started once, and then no start waits for it. */
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
 * Ids of units of a `plain` start and of one with `files`, or undefined when no run got as far as a request: then everything counts as used.
 * @param write puts the command into a folder, with a start pack that notes
 * @param answers bytes of a short answer by the path of a request, for each of the vendors
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
    // Long enough to remember what the server offers.
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

/** As little as git takes for one, whether git itself is there or not, and as little as calls for a language server. */
function repositoryIn(folder) {
  const repository = join(folder, "repository");
  for (const name of ["objects", "refs"]) mkdirSync(join(repository, ".git", name), { recursive: true });
  writeFileSync(join(repository, ".git", "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(repository, "tsconfig.json"), "{}\n");
  return repository;
}

/** One of each kind that people have many of. */
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
