// An MCP server over stdio that misbehaves on request. Written without the protocol's package: it must be able to break the rules.
// Its tools say what they do. `--tools n` adds that many, `--delay ms` starts late, `--log file` notes every start,
// `--leak NAME` ends at once and prints that variable, `--called NAME` takes its own name from that variable, `--boast NAME` puts that variable into its lists, `--pages` lists its tools on pages without end, `--more` offers tools that touch the machine and the person.
import { appendFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    tools: { type: "string", default: "0" },
    delay: { type: "string", default: "0" },
    log: { type: "string" },
    crash: { type: "boolean", default: false },
    more: { type: "boolean", default: false },
    leak: { type: "string" },
    called: { type: "string" },
    throw: { type: "boolean", default: false },
    boast: { type: "string" },
    broken: { type: "boolean", default: false },
    pages: { type: "boolean", default: false },
  },
});
if (values.log !== undefined) appendFileSync(values.log, `start ${process.pid}\n`);
if (values.leak !== undefined) {
  console.error(`no access with ${process.env[values.leak]}`);
  process.exit(3);
}
if (values.crash) {
  console.error("no configuration found");
  process.exit(3);
}

if (values.throw) throw new TypeError("the token is missing");

const tool = (name, description, properties = {}) => ({
  name,
  description,
  inputSchema: { type: "object", properties },
});
const padding = Array.from({ length: Number(values.tools) }, (_, i) =>
  tool(`task_${i}`, `Does the task number ${i}`, { [`key${i}`]: { type: "string" } }),
);
const more = [
  tool("write", "Writes a file", { path: { type: "string" } }),
  tool("where", "Its directory, and the variable SSH_CONNECTION"),
  tool("ask_colour", "Asks the person for a colour"),
];
/** Schemas that no client should have to read, next to some that only look odd. */
const nested = (depth) => (depth === 0 ? { type: "string" } : { type: "object", properties: { a: nested(depth - 1) } });
const broken = [
  tool("ask", "Asks the person something, and waits for the answer"),
  { ...tool("no_schema"), inputSchema: null },
  { ...tool("text_schema"), inputSchema: { type: "string" } },
  { ...tool("list_schema"), inputSchema: { type: "object", properties: [] } },
  { ...tool("deep"), inputSchema: nested(1500) },
  { ...tool("numbered"), description: 7 },
  { inputSchema: { type: "object" } },
  null,
  tool("odd_pattern", "Takes a name", { name: { type: "string", pattern: "^[\\w-.]+$" } }),
  tool("far_reference", "Takes anything", { a: { $ref: "https://schemas.invalid/a.json" } }),
];
const boast = (value) =>
  tool("boast", `Signs in with ${value}`, { token: { type: "string", default: value, enum: [value, "none"] } });
let added = [];
const tools = () => [
  tool("echo", "Gives back its text", { text: { type: "string" } }),
  tool("die", "Ends the server"),
  tool("hang", "Never answers, and nothing after it is answered"),
  tool("slow", "Answers after a while, with progress"),
  tool("flood", "Sends notifications without end"),
  tool("garbage", "Answers with what is no message"),
  tool("huge", "Answers with one endless line"),
  tool("lie", "Answers with another shape"),
  tool("grow", "Adds a tool to the list"),
  tool("pid", "The process id"),
  tool("variables", "The variables that begin with ROGUE_"),
  ...(values.boast ? [boast(process.env[values.boast])] : []),
  ...(values.more ? more : []),
  ...(values.broken ? broken : []),
  ...padding,
  ...added,
];

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (id, value) => send({ id, result: { content: [{ type: "text", text: value }] } });
let isHung = false;
/** The call that waits for the user. */
let asked;

const calls = {
  echo: (id, { arguments: args }) => text(id, args.text),
  die: () => {
    process.stderr.write("out of cheese\n");
    process.exit(7);
  },
  hang: () => {
    isHung = true;
  },
  slow: (id, { _meta }) => {
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
      send({
        method: "notifications/progress",
        params: { progressToken: _meta.progressToken, progress: ticks, message: `tick ${ticks}` },
      });
      if (ticks < 5) return;
      clearInterval(timer);
      text(id, "done at last");
    }, 100);
  },
  flood: () => {
    const note =
      `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } })}\n`.repeat(
        500,
      );
    const more = () => {
      while (process.stdout.write(note));
      process.stdout.once("drain", more);
    };
    more();
  },
  garbage: () => {
    const more = () => {
      while (process.stdout.write("this is no message\n".repeat(100)));
      process.stdout.once("drain", more);
    };
    more();
  },
  huge: () => {
    process.stdout.write('{"jsonrpc":"2.0","result":"');
    const more = () => {
      while (process.stdout.write("x".repeat(1 << 20)));
      process.stdout.once("drain", more);
    };
    more();
  },
  lie: (id) => send({ id, result: { content: "not a list", nothing: true } }),
  ask: () =>
    send({
      id: "question",
      method: "elicitation/create",
      params: {
        message: "Which branch?",
        requestedSchema: { type: "object", properties: { branch: { type: "string" } }, required: ["branch"] },
      },
    }),
  grow: (id) => {
    added = [...added, tool(`grown_${added.length}`, "Came later")];
    send({ method: "notifications/tools/list_changed" });
    text(id, "grown");
  },
  write: (id, { arguments: { path } }) => {
    try {
      writeFileSync(path, "written");
      text(id, "written");
    } catch (error) {
      text(id, `not written: ${error.code}`);
    }
  },
  where: (id) => text(id, `${process.cwd()} ${process.env.SSH_CONNECTION ?? "no ssh"}`),
  ask_colour: (id) => {
    asked = id;
    const requestedSchema = {
      type: "object",
      properties: { colour: { type: "string", enum: ["red", "green"] } },
      required: ["colour"],
    };
    send({ id: "question", method: "elicitation/create", params: { message: "Which colour?", requestedSchema } });
  },
  pid: (id) => text(id, String(process.pid)),
  variables: (id) =>
    text(
      id,
      JSON.stringify(Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("ROGUE_")))),
    ),
};

function answer({ id, method, params, result }) {
  if (isHung) return;
  if (id === "question") return text(asked, JSON.stringify(result));
  if (method === "initialize")
    send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: process.env[values.called] ?? "rogue", version: "1" },
      },
    });
  else if (method === "tools/list")
    send({ id, result: { tools: tools(), ...(values.pages ? { nextCursor: `page ${id}` } : {}) } });
  else if (method === "ping") send({ id, result: {} });
  else if (method === "tools/call" && calls[params.name]) calls[params.name](id, params);
  else if (method === "tools/call") text(id, `did ${params.name}`);
  else if (id !== undefined) send({ id, error: { code: -32601, message: `no ${method} here` } });
}

setTimeout(() => {
  console.log("Rogue server, at your service."); // not a message, as many servers print one
  createInterface({ input: process.stdin })
    .on("line", (line) => answer(JSON.parse(line)))
    .on("close", () => process.exit(0));
}, Number(values.delay));
