// A server that the session runs can be read under any name; a port of another program is closed until the user types
// it.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { freePort } from "../../../agent/test/sshd.ts";
import { type Stage, stage } from "../contract-kit.ts";
import { type Frame, RpcHost } from "../rpc-host.ts";

let scene: Stage;
afterEach(() => scene.close());

it("a dev server that the agent started is read without a setting, another program's port only once the user types it", async () => {
  const other = createServer((_request, response) => response.end("of another program"));
  await once(other.listen(0, "127.0.0.1"), "listening");
  const [own, foreign] = [await freePort(), (other.address() as AddressInfo).port];
  const serve = `node -e 'require("http").createServer((_, a) => a.end("of the session")).listen(${own}, "127.0.0.1")'`;
  const upYet = `until node -e 'fetch("http://127.0.0.1:${own}").catch(() => process.exit(1))'; do sleep 0.1; done`;
  const fetches = (...urls: string[]) => turn.calls(urls.map((url) => ({ name: "web_fetch", args: { url } })));
  const answers = [
    turn.calls([{ name: "shell", args: { command: serve, background: true } }]),
    turn.calls([{ name: "shell", args: { command: upYet } }]),
    fetches(`http://app.localhost:${own}/`, `http://[::1]:${own}/`, `http://localhost:${foreign}/`),
    turn.text("done"),
    fetches(`http://127.0.0.1:${foreign}/`),
    turn.text("done"),
  ];
  scene = await stage(() => answers.shift() ?? turn.text("nothing left"));
  const told = async (...prompt: string[]): Promise<string[]> => {
    const before = scene.server.requests.length;
    expect((await scene.run(["--permission-mode", "full", ...prompt])).code).toBe(0);
    const results = scene.server.requests.slice(before).flatMap(({ view }) => view.messages.at(-1)?.results ?? []);
    return results.map(({ text }) => text);
  };
  const [, , ...pages] = await told("look at the server");
  expect(pages).toEqual([
    expect.stringContaining("of the session"),
    expect.stringContaining("of the session"),
    expect.stringContaining(`localhost:${foreign} is closed: no process of this session listens there`),
  ]);
  expect(await told(`what is on localhost:${foreign}?`)).toEqual([expect.stringContaining("of another program")]);
  other.close();
});

it("LS-10 a yes opens a closed port for the session: the question says so, is recorded, and offers no rule", async () => {
  const other = createServer(({ url }, response) => response.end(`of another program: ${url}`));
  await once(other.listen(0, "127.0.0.1"), "listening");
  const { port } = other.address() as AddressInfo;
  const reads = (path: string) => turn.calls([{ name: "web_fetch", args: { url: `http://localhost:${port}${path}` } }]);
  const answers = [reads("/a"), reads("/a"), reads("/b"), turn.text("done")];
  scene = await stage(() => answers.shift() ?? turn.text("nothing left"));
  const args = ["--mode", "rpc", ...scene.args, "--permission-mode", "auto-edit"];
  const host = new RpcHost(scene.box.open(args, scene.env));
  host.send({ type: "prompt", message: "go" });
  const answered = new Set<unknown>();
  for (const confirmed of [false, true, false]) {
    const { id, ...question } = await host.wait(
      "a question",
      (frame) => isQuestion(frame) && !answered.has(frame["id"]),
    );
    answered.add(id);
    // The port is open then, and what is asked is whether this address may be read.
    expect("remember" in question).toBe(answered.size === 3);
    host.send({ type: "extension_ui_response", id, confirmed });
  }
  await host.event("agent_end");
  const results = scene.server.requests
    .flatMap(({ view }) => view.messages.at(-1)?.results ?? [])
    .map(({ text }) => text);
  expect(results).toEqual([
    expect.stringContaining("Denied by host"),
    expect.stringContaining("of another program: /a"),
    expect.stringContaining("Denied by host"),
  ]);
  const asked = JSON.stringify(host.frames).split(
    `Port ${port} does not belong to a server of this session; your yes opens it`,
  );
  expect(asked.length).toBeGreaterThan(2);
  expect(await host.finish()).toBe(0);
  other.close();
});

it("LS-10 a rule for localhost does not open a port of another program: it is asked about, and refused with the reason where nobody can be", async () => {
  const other = createServer((_, response) => response.end("of another program"));
  await once(other.listen(0, "127.0.0.1"), "listening");
  const { port } = other.address() as AddressInfo;
  const reads = () => turn.calls([{ name: "web_fetch", args: { url: `http://localhost:${port}/a` } }]);
  const answers = [reads(), turn.text("done"), reads(), turn.text("done")];
  scene = await stage(() => answers.shift() ?? turn.text("nothing left"));
  const args = [...scene.args, "--permission-mode", "auto-edit", "--allow", "network(localhost)"];
  const results = () =>
    scene.server.requests.flatMap(({ view }) => view.messages.at(-1)?.results ?? []).map(({ text }) => text);
  const why = `Port ${port} does not belong to a server of this session; your yes opens it for this session.`;

  await scene.run(["--permission-mode", "auto-edit", "--allow", "network(localhost)", "go"]);
  expect(results()).toEqual([expect.stringContaining(`${why} It would be allowed with its address in the prompt.`)]);

  const host = new RpcHost(scene.box.open(["--mode", "rpc", ...args], scene.env));
  host.send({ type: "prompt", message: "go" });
  const question = await host.wait("a question", isQuestion);
  expect(JSON.stringify(question)).toContain(why);
  expect(question).not.toHaveProperty("remember");
  host.send({ type: "extension_ui_response", id: question["id"], confirmed: true });
  await host.event("agent_end");
  expect(results()[1]).toContain("of another program");
  expect(await host.finish()).toBe(0);
  other.close();
});

const isQuestion = ({ type }: Frame): boolean => type === "extension_ui_request";
