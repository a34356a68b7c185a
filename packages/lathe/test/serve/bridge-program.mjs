// Answers every gate of a session at a bridge until the session has been approved: node bridge-program.mjs <library> <url> <token> <session>
const [library, baseUrl, token, sessionId] = process.argv.slice(2);
const { BridgeClient } = await import(library);

const bridge = new BridgeClient({ baseUrl, token });
const owner = await bridge.claim(sessionId, { force: true });
const answered = bridge.consumeWorkflowGates(sessionId, owner, ({ kind, options }) =>
  kind === "approval" ? "approve" : options[0].value,
);
for await (const { gate, reply } of answered) {
  console.log(gate.kind, gate.context.title, reply.status);
  if (gate.kind === "approval") break;
}
await bridge.release(sessionId, owner);
