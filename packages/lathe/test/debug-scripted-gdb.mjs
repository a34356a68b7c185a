#!/usr/bin/env node
// A debug adapter that claims to be gdb 14, for what real ones do not do on demand: end, fall silent or break the
// protocol during a call, and ask to run a program in a terminal. The expression of `evaluate` chooses.

import { createRequire } from "node:module";

const { writeSync } = createRequire(import.meta.url)("node:fs");
if (process.argv.includes("--version")) {
  console.log("GNU gdb (GDB) 14.2");
  process.exit(0);
}
const launched = process.argv.slice(2).join(" ");
let held = Buffer.alloc(0);
let seq = 0;
let config = {};
const answers = {};
const send = (message) => {
  const body = JSON.stringify({ seq: ++seq, ...message });
  writeSync(1, `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
};
const respond = ({ seq: request_seq, command }, body = {}) =>
  send({ type: "response", request_seq, command, success: true, body });
const event = (name, body = {}) => send({ type: "event", event: name, body });

const REQUESTS = {
  initialize: (request) => {
    respond(request, { supportsConfigurationDoneRequest: true });
    event("initialized");
  },
  launch: (request) => {
    config = request.arguments;
    respond(request);
  },
  configurationDone: (request) => {
    respond(request);
    event("stopped", { reason: "entry", threadId: 1 });
  },
  threads: (request) => respond(request, { threads: [{ id: 1, name: "main" }] }),
  stackTrace: (request) =>
    respond(request, {
      stackFrames: [{ id: 1, name: "main", line: 0, column: 0, instructionPointerReference: "0x1" }],
    }),
  evaluate: (request) => {
    const { expression } = request.arguments;
    if (expression === "die") {
      process.stderr.write("internal error\n");
      process.exitCode = 7;
      process.stdin.destroy();
      return;
    }
    if (expression === "sleep") return;
    if (expression === "gigabyte") writeSync(1, "Content-Length: 1000000000\r\n\r\n");
    else if (expression === "terminal") {
      send({ type: "request", command: "startDebugging", arguments: {} });
      const args = ["sh", "-c", "echo in $PWD, $A; sleep 600"];
      send({ type: "request", command: "runInTerminal", arguments: { args, cwd: "/", env: { A: "b" } } });
      answers.runInTerminal = ({ processId }) => respond(request, { result: String(processId) });
    } else respond(request, { result: JSON.stringify({ pid: process.pid, launched, config }) });
  },
};

process.stdin.on("data", (chunk) => {
  held = Buffer.concat([held, chunk]);
  for (;;) {
    const end = held.indexOf("\r\n\r\n");
    if (end < 0) return;
    const length = Number(/\d+/.exec(held.toString("latin1", 0, end))[0]);
    if (held.length < end + 4 + length) return;
    const message = JSON.parse(held.toString("utf8", end + 4, end + 4 + length));
    held = held.subarray(end + 4 + length);
    if (message.type === "response") answers[message.command]?.(message.body);
    else (REQUESTS[message.command] ?? respond)(message);
  }
});
