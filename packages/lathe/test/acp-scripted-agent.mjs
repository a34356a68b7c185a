// An ACP agent that does what its prompt says: the last JSON list in it holds the steps. Made with the agent side of the protocol's
// own package. Its first argument is a way to misbehave before there is a session.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream, PROTOCOL_VERSION, RequestError } from "@agentclientprotocol/sdk/unstable";

const [manner = "well", log] = process.argv.slice(2);
const note = (line) => log && appendFileSync(log, `${line}\n`);
note(`pid ${process.pid}`);
if (manner === "deaf") setInterval(() => {}, 1_000);
if (manner === "noisy") for (let n = 0; n < 2_000; n++) process.stdout.write(`this is no protocol ${n}\n`);
if (manner === "gone") {
  process.stderr.write("Error: no licence found\n");
  process.exit(3);
}
if (manner === "greeting") process.stdout.write('Welcome!\n{"jsonrpc":"2.0","id":77,"result":{}}\n{"a":1}\n');

const { client } = methods;
const { session, fs, terminal } = client;
let cancelled = () => {};
let calls = 0;

async function play([step, ...words], context) {
  const { peer, sessionId } = context;
  const update = (sessionUpdate, more) =>
    peer.notify(session.update, { sessionId, update: { sessionUpdate, ...more } });
  const say = (text) => update("agent_message_chunk", { content: { type: "text", text } });
  const at = (path) => join(context.cwd, path);
  const tried = (work) => work.catch((error) => say(`[${error.message}]`));
  if (step === "say") await say(words[0]);
  else if (step === "think") await update("agent_thought_chunk", { content: { type: "text", text: words[0] } });
  else if (step === "cwd") await say(context.cwd);
  else if (step === "read")
    await tried(
      peer.request(fs.readTextFile, { sessionId, path: at(words[0]) }).then(({ content }) => say(`<${content}>`)),
    );
  else if (step === "write")
    await tried(peer.request(fs.writeTextFile, { sessionId, path: at(words[0]), content: words[1] }));
  else if (step === "elsewhere") {
    // Claims that the client has another session.
    const other = { sessionId: "another" };
    const options = [{ optionId: "yes", name: "yes", kind: "allow_once" }];
    await peer.notify(session.update, {
      ...other,
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "[told elsewhere]" } },
    });
    await tried(peer.request(fs.readTextFile, { ...other, path: at(words[0]) }));
    await tried(peer.request(fs.writeTextFile, { ...other, path: at(words[0]), content: "" }));
    await tried(peer.request(terminal.create, { ...other, command: "true" }));
    await tried(peer.request(session.requestPermission, { ...other, toolCall: { toolCallId: "x" }, options }));
  } else if (step === "relative") await tried(peer.request(fs.readTextFile, { sessionId, path: words[0] }));
  else if (step === "run")
    await tried(
      (async () => {
        const { terminalId } = await peer.request(terminal.create, {
          sessionId,
          command: words[0],
          env: words[1] ?? [],
        });
        const exit = await peer.request(terminal.waitForExit, { sessionId, terminalId });
        const { output } = await peer.request(terminal.output, { sessionId, terminalId });
        await peer.request(terminal.release, { sessionId, terminalId });
        await say(`ran: ${output.trim()} (${exit.exitCode})`);
      })(),
    );
  else if (step === "own") {
    // Work of its own: announced, asked about, done, reported.
    const [kind, path, text, rawInput = {}] = words;
    const toolCallId = `own-${++calls}`;
    const locations = path === "" ? [] : [{ path: at(path) }];
    await update("tool_call", { toolCallId, title: `${kind} ${path}`, kind, status: "pending", locations, rawInput });
    const options = ["allow_always", "allow_once", "reject_once"].map((one) => ({
      optionId: one,
      name: one,
      kind: one,
    }));
    const { outcome } = await peer.request(session.requestPermission, { sessionId, toolCall: { toolCallId }, options });
    await say(`[${outcome.optionId ?? outcome.outcome}]`);
    const isAllowed = outcome.optionId === "allow_once";
    if (isAllowed && kind === "edit") writeFileSync(at(path), text);
    const content = [{ type: "content", content: { type: "text", text: isAllowed ? "done it" : "not allowed" } }];
    await update("tool_call_update", { toolCallId, status: isAllowed ? "completed" : "failed", content });
  } else if (step === "see") await say(readFileSync(at(words[0]), "utf8"));
  else if (step === "invalid") await update(words[0], { content: 7 });
  else if (step === "crash") {
    process.stderr.write("Error: out of luck\n");
    process.exit(9);
  } else if (step === "wait") await new Promise((resolve) => (cancelled = resolve));
  else if (step === "stop") return words[0];
  return undefined;
}

async function prompted(context, text) {
  note(`prompt ${JSON.stringify(text)}`);
  // Anything else is about its result, which it corrects.
  const at = text.lastIndexOf("\n[[");
  const steps = at < 0 ? [["say", '{"n": 1}']] : JSON.parse(text.slice(at + 1).trim());
  for (const step of steps) {
    const stopReason = await play(step, context);
    if (stopReason !== undefined) return { stopReason };
    if (context.isCancelled) return { stopReason: "cancelled" };
  }
  return { stopReason: "end_turn" };
}

const sessions = new Map();
if (manner !== "deaf")
  agent({ name: "scripted" })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: manner === "old" ? 7 : PROTOCOL_VERSION,
      agentCapabilities: {},
      authMethods: [{ id: "login", name: "Sign in" }],
    }))
    .onRequest(methods.agent.session.new, ({ params }) => {
      if (manner === "locked") throw RequestError.authRequired();
      const sessionId = `s-${sessions.size}`;
      sessions.set(sessionId, { sessionId, cwd: params.cwd });
      return { sessionId };
    })
    .onRequest(methods.agent.session.prompt, ({ params, client: peer }) => {
      const context = Object.assign(sessions.get(params.sessionId), { peer, isCancelled: false });
      return prompted(context, params.prompt.map(({ text }) => text).join("\n"));
    })
    .onNotification(methods.agent.session.cancel, ({ params }) => {
      note("cancel");
      if (manner === "stubborn") return;
      sessions.get(params.sessionId).isCancelled = true;
      cancelled();
    })
    .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
