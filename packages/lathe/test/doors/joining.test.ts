// Every way to ask for a session that is open elsewhere (print, RPC, a terminal, `lathe attach`, a server, an editor),
// with every kind of process that shares one: `lathe serve`, an editor's, a terminal with /serve. docs/doors.md has the
// table.

import { once } from "node:events";
import { createInterface } from "node:readline";
import { type ModelServer, type RecordedRequest, startModelServer, turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Editor, EVERYTHING } from "../acp-kit.ts";
import { type Sandbox, sandbox } from "../command.ts";
import { type Serving, serve } from "../serve/serve-kit.ts";
import { InsideTerminal } from "../terminal.ts";

const MODEL = "openai/gpt-5.2";
const { terminal: _terminal, ...FILES_ONLY } = EVERYTHING;

let box: Sandbox;
let model: ModelServer;
let env: Record<string, string>;

beforeEach(async () => {
  box = await sandbox();
  const script = ({ view, body }: RecordedRequest) => {
    if (JSON.stringify(body).includes('"set_title"')) return turn.calls([{ name: "set_title", args: { title: "t" } }]);
    const said = view.messages.filter(({ role }) => role === "user").at(-1)?.text ?? "";
    return turn.text(`Answer to ${said.trim().split("\n").at(-1)}.`);
  };
  model = await startModelServer({ script });
  env = { OPENAI_API_KEY: "key", OPENAI_BASE_URL: model.baseUrl("openai"), NO_COLOR: "1", LATHE_NO_TITLE: "1" };
});
afterEach(async () => {
  await model.close();
  await box.remove();
});

interface Held {
  readonly id: string;
  end(): Promise<void>;
}

async function heldByServe(): Promise<Held & { readonly serving: Serving }> {
  const serving = await serve(box, env);
  const client = await serving.client("own", "read", "prompt", "admin");
  const id = await client.createSession({ cwd: box.dir, model: MODEL, permissionMode: "ask" });
  await client.command(id, "prompt", { message: "begin" });
  for await (const frame of client.follow(id)) {
    const isDone = frame.kind === "snapshot" && frame.snapshot.state.messageCount > 1;
    if (isDone || (frame.kind === "event" && frame.event.type === "agent_end")) break;
  }
  return { id, serving, end: () => serving.server.end({ forgets: true }) };
}

async function heldByEditor(): Promise<Held> {
  const editor = await editorIn();
  const { sessionId: id } = await editor.create(box.dir);
  await editor.prompt(id, "begin");
  return { id, end: () => editor.leave() };
}

async function heldByTerminal(): Promise<Held> {
  const terminal = new InsideTerminal(box, env);
  let at = terminal.type(`lathe --plain --model ${MODEL} --permission-mode ask`);
  at = await terminal.see(at, /\/help\r?\n› /);
  terminal.keys("begin\n");
  at = await terminal.see(at, /Answer to begin\.[\s\S]*› /);
  terminal.keys("/serve\n");
  at = await terminal.see(at, /lathe attach \w{8}/);
  const id = /lathe attach (\w{8})/.exec(terminal.text(0))?.[1] ?? "";
  return {
    id,
    end: async () => {
      terminal.keys("/quit\n");
      await terminal.see(at, /ended-0/);
    },
  };
}

async function editorIn(): Promise<Editor> {
  // In its own process: the server must not take its socket for one of its own.
  const editor = new Editor(box.start(["acp", "--model", MODEL, "--permission-mode", "ask"], env), {
    capabilities: FILES_ONLY,
  });
  await editor.initialize(FILES_ONLY);
  return editor;
}

async function drivenOverStdin(id: string): Promise<string> {
  const agent = box.open(["--mode", "rpc", "--resume", id], env);
  const lines = createInterface({ input: agent.stdout })[Symbol.asyncIterator]();
  const seen: Record<string, unknown>[] = [];
  const until = async (fits: (frame: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> => {
    for (;;) {
      const frame = JSON.parse((await lines.next()).value as string) as Record<string, unknown>;
      seen.push(frame);
      if (fits(frame)) return frame;
    }
  };
  const send = (frame: object): void => void agent.stdin.write(`${JSON.stringify(frame)}\n`);
  await until(({ type }) => type === "ready");
  send({ id: "1", type: "get_state" });
  expect(await until((frame) => frame["id"] === "1")).toMatchObject({ success: true, data: { permissionMode: "ask" } });
  send({ id: "2", type: "set_host_tools", tools: [] });
  expect(await until((frame) => frame["id"] === "2")).toMatchObject({
    success: false,
    error: { code: "not_available" },
  });
  send({ type: "nonsense" });
  expect(await until(({ command }) => command === "nonsense")).toMatchObject({ error: "Unknown command: nonsense" });
  send({ id: "3", type: "prompt", message: "from a program" });
  await until(({ payload }) => (payload as { event_type?: string } | undefined)?.event_type === "agent_end");
  send({ id: "4", type: "get_last_assistant_text" });
  const { data } = await until((frame) => frame["id"] === "4");
  const numbers = seen.flatMap(({ type, seq }) => (type === "event" ? [seq] : []));
  expect(numbers).toEqual(numbers.map((_, at) => at + 1));
  agent.stdin.end();
  if (agent.exitCode === null) await once(agent, "close");
  expect(agent.exitCode).toBe(0);
  return (data as { text: string }).text;
}

it.each([
  ["lathe serve", heldByServe],
  ["an editor", heldByEditor],
  ["a terminal with /serve", heldByTerminal],
])(
  "M1 a session that is open in %s is joined by lathe -p, RPC, --resume, lathe attach and another server",
  async (_, hold) => {
    const { id, end } = await hold();
    const printed = await box.run(["-p", "from a script", "--resume", id], { env });
    expect(printed).toMatchObject({
      code: 0,
      stdout: "Answer to from a script.\n",
      stderr: "lathe: Another process has this session open. The prompt is sent there.\n",
    });
    const json = await box.run(["-p", "in lines", "--resume", id, "--mode", "json"], { env });
    expect(json.stdout).toContain('"type":"agent_end"');
    const refused = await box.run(["-p", "x", "--resume", id, "--model", MODEL], { env });
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--model has no effect on a session that another process has open."),
    });
    expect(await drivenOverStdin(id)).toBe("Answer to from a program.");

    for (const command of [`lathe --plain --resume ${id.slice(0, 8)}`, `lathe attach ${id.slice(0, 8)}`]) {
      const terminal = new InsideTerminal(box, env);
      const said = `from ${command.split(" ")[1]}`;
      let at = terminal.type(command);
      at = await terminal.see(at, /Answer to from a program\.[\s\S]*› /);
      terminal.keys(`${said}\n`);
      at = await terminal.see(at, new RegExp(`Answer to ${said}\\.[\\s\\S]*Done`));
      terminal.keys("/quit\n");
      await terminal.see(at, /To come back: lathe attach [\s\S]*ended-0/);
    }

    const other = await serve(box, env);
    const client = await other.client("other", "read", "prompt");
    const full = (await client.sessions()).sessions.find((row) => row.id.startsWith(id))?.id ?? "";
    await client.command(full, "prompt", { message: "from another server" });
    await expect
      .poll(() => client.command(full, "get_last_assistant_text"), { timeout: 10_000 })
      .toEqual({ text: "Answer to from another server." });
    expect(other.server.sessions.count).toBe(0);
    await other.server.end({ forgets: true });
    await end();
  },
  60_000,
);

it("M1 G-17 an editor takes over a session of a server that does not work, and the server's clients go on in it; other holders keep theirs", async () => {
  const { id, serving, end } = await heldByServe();
  const browser = await serving.client("browser", "read", "prompt");
  const { seq } = await browser.openSession(id);
  const goesOn = (async () => {
    for await (const frame of browser.follow(id, { after: seq })) if (frame.kind === "snapshot") return frame;
    throw new Error("The stream ended.");
  })();
  const editor = await editorIn();
  await editor.agentSide.request("session/load", { sessionId: id, cwd: box.dir, mcpServers: [] });
  expect(editor.text()).toBe("Answer to begin.");
  expect((await goesOn).snapshot.state).toMatchObject({ sessionId: id, messageCount: 2 });
  expect(serving.server.sessions.count).toBe(0);
  await browser.command(id, "prompt", { message: "from the browser" });
  await editor.saw(() => editor.text().includes("Answer to from the browser."));
  // The other way round: the editor's process keeps its session.
  const second = await editorIn();
  const refusal = await second.agentSide
    .request("session/resume", { sessionId: id, cwd: box.dir, mcpServers: [] })
    .catch((error: Error) => error.message);
  expect(refusal).toMatch(/stays open in another process.*lathe attach \w{8}.*session\/fork/);
  await editor.leave();
  await second.leave();
  await end();
}, 60_000);
