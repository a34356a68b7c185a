// `lathe attach` at a terminal, and a session that is joined in the process that holds it.

import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { gate, startModelServer, turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { sandbox } from "../command.ts";
import { runInside } from "../machine.ts";
import { InsideTerminal } from "../terminal.ts";
import { clientNamed, Follower } from "./follower.ts";
import { type ServedConversation, servedConversation, shell } from "./served-conversation.ts";

let served: ServedConversation;
beforeEach(async () => {
  served = await servedConversation();
});
afterEach(() => served.close());

const phone = clientNamed("phone");

it("M1: lathe attach follows in lines: text, cards, a question that is answered here or elsewhere, steering, queue, interrupt, leaving", async () => {
  const { talk, door } = served;
  const stays = gate();
  talk.server.push(
    turn.text("An earlier answer."),
    turn.blocks([shell("echo one")]),
    turn.blocks([shell("echo two")]),
    turn.text("Now I think about it.", { before: stays.wait }),
  );
  await talk.talk.submit("earlier");
  const other = new Follower(door, phone);
  await other.wait("snapshot");
  const terminal = served.terminal();
  let at = terminal.type(`lathe attach ${talk.talk.session.id.slice(0, 8)}`);
  at = await terminal.see(at, /› earlier\r?\nAn earlier answer\.\r?\nAlso here: phone\.\r?\n› /);
  terminal.keys("do it\n");
  at = await terminal.see(at, /Working\.[\s\S]*│ echo one\r?\nAllow this\? \[y\/N.*\] /);
  const first = door.questions[0]?.id;
  terminal.keys("y\n");
  at = await terminal.see(at, /done: shell echo one[\s\S]*│ echo two\r?\nAllow this\? \[y\/N.*\] /);
  const { question } = await other.wait("question", ({ question: { id } }) => id !== first);
  await door.answer(phone, question.id, { confirmed: true });
  at = await terminal.see(at, /Answered by phone\./);
  await stays.reached;
  terminal.keys("/later and then this\n");
  await expect.poll(() => talk.talk.session.queuedMessages("follow_up").length).toBe(1);
  terminal.keys("rather so\n");
  await expect.poll(() => talk.talk.session.queuedMessages("steering").length).toBe(1);
  terminal.keys("/queue\n");
  at = await terminal.see(at, /next: rather so\r?\nlater: and then this/);
  terminal.keys("\x03");
  at = await terminal.see(at, /Press Ctrl\+C again to leave\. The session goes on\./);
  at = await terminal.see(at, /Interrupted\./);
  terminal.keys("\x03");
  at = await terminal.see(at, /To come back: lathe attach (?:(?!The process that held)[\s\S])*ended-130/);
  stays.open();
  await other.wait("clients", ({ clients }) => clients.every(({ name }) => name === "phone"));
  expect(talk.talk.session.state).not.toBe("closed");
});

it("M1: a session that such a process holds is joined instead of refused; what is typed with the command is said there", async () => {
  const { talk, door } = served;
  talk.server.push(turn.text("Hello."), turn.text("Said in the process that holds it."));
  await talk.talk.submit("hello");
  const terminal = served.terminal();
  let at = terminal.type(`lathe -c --plain "and again"`);
  at = await terminal.see(at, /You have joined it there\.[\s\S]*Said in the process that holds it\./);
  expect(talk.talk.session.journal.context.messages).toHaveLength(4);
  await door.close();
  at = await terminal.see(at, /The session was closed\.[\s\S]*ended-0/);

  // Without a door, joining is refused as before.
  const refused = served.terminal();
  at = refused.type("lathe -c --plain");
  at = await refused.see(at, /This session is open in process [\s\S]*ended-2/);
});

it("M1: bad input is one line with the next step, and without a terminal the session is only read", async () => {
  const { talk, door } = served;
  const env = { PATH: "", HOME: talk.root, LATHE_HOME: `${talk.root}/.lathe-home` };
  const attach = (...args: string[]) => runInside(["attach", ...args], { cwd: talk.root, env });
  const id = talk.talk.session.id.slice(0, 8);
  const lines = [
    [["ffff"], `lathe: No single open session begins with "ffff". Open to others: ${id} (~)\n`],
    [["a", "b"], "lathe: Give one session, not 2. See: lathe attach --help\n"],
    [
      ["http://127.0.0.1:1/?token=x"],
      "lathe: Give the address without a query or a token. Put the token into LATHE_SERVE_TOKEN.\n",
    ],
    [
      ["http://127.0.0.1:1"],
      "lathe: Set LATHE_SERVE_TOKEN to a token of that server. Make one there: lathe serve token add <name>\n",
    ],
    [["http://127.0.0.1:1/#code=x"], "lathe: No server can be reached at http://127.0.0.1:1. Start one: lathe serve\n"],
  ] as const;
  for (const [args, said] of lines) expect((await attach(...args)).stderr).toBe(said);
  const withToken = (address: string) =>
    runInside(["attach", address], { cwd: talk.root, env: { ...env, LATHE_SERVE_TOKEN: "lathe_x" } });
  expect((await withToken("http://example.org:4096")).stderr).toBe(
    "lathe: http would send your token to example.org unencrypted. Use its https address, or an ssh tunnel and http://127.0.0.1:<port>.\n",
  );

  talk.server.push(turn.text("Read by a script."));
  const reading = attach();
  const other = new Follower(door, phone);
  await other.wait("clients", ({ clients }) => clients.some(({ kind }) => kind === "terminal"));
  await talk.talk.submit("go");
  await other.event("agent_end");
  await door.close();
  const { code, stdout } = await reading;
  expect(stdout).toMatch(/Working\.\n› go\nRead by a script\.\nDone after [\d.]+ s\.\nThe session was closed\.\n$/);
  expect(code).toBe(0);
  expect((await attach("ffff")).stderr).toContain("No session is open to others here.");
});

it("M1: what is no lathe serve, or one that says nonsense, is told in one line", async () => {
  const id = "01234567-89ab-4def-8123-456789abcdef";
  const me = { name: "me", scopes: ["read"] };
  const rows = { sessions: [{ id, title: "t", cwd: "/", updatedAt: "", live: true, busy: false, questions: 0 }] };
  const unreadable = /^lathe: The server's answer cannot be read \(.+\)\. Is it a lathe serve of this version\?\n$/;
  const moved = createServer((_, response) => response.writeHead(200).end(JSON.stringify(me)));
  const servers: [RequestListener, RegExp][] = [
    [(_, response) => response.end("<html>"), unreadable],
    [(_, response) => response.end("null"), unreadable],
    [(_, response) => response.end("{}"), unreadable],
    [({ url }, response) => response.end(JSON.stringify(url === "/v1/me" ? me : { sessions: null })), unreadable],
    [
      ({ url }, response) => {
        const opened = { id, seq: 1, snapshot: {} };
        const answers: Readonly<Record<string, object>> = { "/v1/me": me, [`/v1/sessions/${id}`]: opened };
        response.end(JSON.stringify(answers[url ?? ""] ?? { ...rows, more: false }));
      },
      unreadable,
    ],
    [(_, response) => response.writeHead(500).end("{}"), /^lathe: The server answered with status 500\.\n$/],
    // Credentials for one server are not sent to another.
    [
      (_, response) => {
        const { port } = moved.address() as AddressInfo;
        response.writeHead(307, { location: `http://127.0.0.1:${port}/v1/me` }).end();
      },
      /^lathe: No server can be reached at/,
    ],
  ];
  await new Promise<void>((resolve) => moved.listen(0, "127.0.0.1", resolve));
  for (const [listener, said] of servers) {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const env = { PATH: "", HOME: served.talk.root, LATHE_SERVE_TOKEN: "lathe_x" };
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect((await runInside(["attach", address], { cwd: served.talk.root, env })).stderr).toMatch(said);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  await new Promise((resolve) => moved.close(resolve));
});

it("M1: /serve opens the session of a terminal: link and QR code; another terminal follows it by the link; /serve stop closes it", async () => {
  const box = await sandbox();
  const server = await startModelServer({});
  const env = {
    ...{ ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.baseUrl("anthropic") },
    ...{ NO_COLOR: "1", LATHE_NO_TITLE: "1" },
  };
  const [own, other, held] = [1, 2, 3].map(() => new InsideTerminal(box, env)) as [
    InsideTerminal,
    InsideTerminal,
    InsideTerminal,
  ];
  server.push(turn.text("Hello to both."));
  const start = own.type("lathe --plain --model anthropic/claude-sonnet-4-5");
  let at = await own.see(start, /\/help\r?\n› /);
  own.keys("/serve\n");
  at = await own.see(at, /█▀▀▀▀▀▀▀█[\s\S]*http:\/\/127\.0\.0\.1:\d+\/#code=\S+[\s\S]*lathe attach \w{8}/);
  const link = /http:\S+/.exec(own.text(start))?.[0] ?? "";
  let there = other.type(`lathe attach ${link}`);
  there = await other.see(there, /› /);
  other.keys("hi\n");
  there = await other.see(there, /Hello to both\.[\s\S]*Done[\s\S]*› /);
  at = await own.see(at, /Hello to both\./);
  // A link works once.
  const again = held.type(`lathe attach ${link}`);
  await held.see(again, /This link was used before\. [\s\S]*ended-2/);
  own.keys("/serve stop\n");
  at = await own.see(at, /This session is closed to other clients\./);
  await other.see(there, /The session was closed\.[\s\S]*ended-0/);
  own.keys("/quit\n");
  await own.see(at, /ended-0/);
  await server.close();
  await box.remove();
});
