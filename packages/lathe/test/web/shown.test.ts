// Addresses that the session has seen are read without asking; every other one still needs approval (decision 0342).

import { mkdir, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { type RecordedRequest, type Turn, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Stage, stage } from "../contract-kit.ts";
import { RpcHost } from "../rpc-host.ts";
import { type FakeWeb, fakeWeb, leadsTo, links } from "./fake-web.ts";

let scene: Stage;
let web: FakeWeb;
type Step = Turn | ((request: RecordedRequest) => Turn);
const queued: Step[] = [];
beforeEach(async () => {
  queued.length = 0;
  web = await fakeWeb();
  scene = await stage((request) => {
    const step = queued.shift() ?? turn.text("nothing left");
    return typeof step === "function" ? step(request) : step;
  });
});
afterEach(async () => {
  web.close();
  await scene.close();
});

const call = (name: string, args: object) => turn.calls([{ id: "c", name, args: args as never }]);
/** One answer that asks for all of these, by both tools. */
const read = (...urls: readonly string[]): Turn =>
  turn.calls(
    urls.map((url, at) => ({
      id: `r${at}`,
      name: at % 2 ? "web_fetch" : "read_file",
      args: at % 2 ? { url } : { file_path: url },
    })),
  );
const pages = (known: Parameters<typeof fakeWeb>[0] = {}): void => {
  web.heard.length = 0;
  for (const [address, page] of Object.entries(known)) web.pages.set(address, page);
};
const heard = (): string[] => web.heard.map((line) => line.replace(/^GET /, "")).sort();

/** One run of the command over these answers of the model, and what each of its calls told the model. */
async function run(args: readonly string[], ...answers: readonly Step[]) {
  const before = scene.server.requests.length;
  queued.push(...answers, turn.text("done"));
  const ended = await scene.run(args, { env: web.env });
  const told = scene.server.requests.slice(before + 1).flatMap(({ view }) => view.messages.at(-1)?.results ?? []);
  return { ...ended, told: told.map(({ text }) => text) };
}

async function put(path: string, text: string, folder = scene.box.dir): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

const EDIT = ["--permission-mode", "auto-edit"];
const PLAN = ["--permission-mode", "plan"];
const DOCS = "http://docs.example/start";
const NOT_SHOWN = "this address was not shown";

describe("shown addresses", () => {
  it.each([EDIT, PLAN])(
    "what is typed and what a page links is read in %s %s; a made-up address is not",
    async (...mode) => {
      const other = "http://other.example/a";
      pages({ [DOCS]: links("next?page=2", other), "docs.example": links(), "other.example": links() });
      const { told, code } = await run(
        [...mode, `Read ${DOCS}, please.`],
        read(DOCS),
        read("http://docs.example/next?page=2", other),
        read(
          "http://docs.example/next?page=3",
          `${other}/`,
          `${other}?x`,
          "http://other.example/",
          "http://x.example/",
        ),
      );
      expect(heard()).toEqual(["http://docs.example/next?page=2", DOCS, other]);
      for (const text of told.slice(0, 3)) expect(text).toMatch(/^\[From the web \(http/);
      expect(told.slice(3).filter((text) => text.toLowerCase().includes(NOT_SHOWN))).toHaveLength(5);
      expect(code).toBe(mode[1] === "plan" ? 0 : 4);
    },
  );

  it("what a command printed, a file that the session wrote, piped text and a command's own text show nothing", async () => {
    await put(".lathe/commands/look.md", "Look at http://d.example/ and $ARGUMENTS.", scene.box.home);
    pages({ "typed.example": links() });
    queued.push(
      call("write_file", { file_path: "notes.md", content: "http://a.example/x\n" }),
      call("shell", { command: "cat notes.md" }),
      call("read_file", { file_path: "notes.md" }),
      read("http://a.example/x", "http://b.example/x", "http://d.example/", "http://typed.example/"),
      turn.text("done"),
    );
    const ended = await scene.run([...EDIT, "-p", "/look http://typed.example/"], {
      env: web.env,
      stdin: "a log that says http://b.example/x\n",
    });
    expect(ended.code).toBe(4);
    expect(heard()).toEqual(["http://typed.example/"]);
  });

  it("rules decide first, and only GET is sent", async () => {
    pages({ "docs.example": links("http://linked.example/") });
    const rules = [
      "--deny",
      "network(docs.example)",
      "--ask",
      "network(linked.example)",
      "--allow",
      "network(free.example)",
    ];
    const denied = await run(
      [...EDIT, ...rules, `${DOCS} http://linked.example/`],
      read(DOCS, "http://linked.example/"),
    );
    expect(denied.told[0]).toContain("rule network(docs.example)");
    expect(denied.told[1]).toContain("rule network(linked.example)");
    expect(heard()).toEqual([]);
    // A page of an allowed host that the model made up shows nothing, and neither does its redirect.
    pages({
      "http://free.example/?to=evil": links("http://evil.example/secret"),
      "http://free.example/go?to=http://evil.example/secret": leadsTo("http://evil.example/secret"),
      "evil.example": links(),
    });
    const { told } = await run(
      [...EDIT, ...rules, "go"],
      read("http://free.example/?to=evil"),
      read("http://evil.example/secret", "http://free.example/go?to=http://evil.example/secret"),
    );
    expect(told[2]).toContain(
      "redirects to http://evil.example/secret, which was not followed. This address was not shown",
    );
    expect(heard().filter((url) => url.includes("evil.example/"))).toEqual([
      "http://free.example/go?to=http://evil.example/secret",
    ]);
    expect(web.heard.every((line) => line.startsWith("GET "))).toBe(true);
  });

  it("a redirect from a shown address is followed and is a choice; to a denied host it is not", async () => {
    pages({
      [DOCS]: leadsTo("http://www.docs.example/start"),
      "http://www.docs.example/start": leadsTo("/here"),
      "http://www.docs.example/here": links(),
      "http://docs.example/away": leadsTo("http://denied.example/"),
    });
    const { told } = await run(
      [...EDIT, "--deny", "network(denied.example)", `${DOCS} and http://docs.example/away`],
      read(DOCS, "http://docs.example/away"),
    );
    expect(told[0]).toContain("words of the page");
    expect(told[1]).toContain("which was not followed. It is denied by the rule network(denied.example)");
    expect(heard().some((url) => url.includes("denied"))).toBe(false);
  });

  it("after ten addresses of a host that only pages have shown it is a question, also in a resumed and a forked session", async () => {
    const urls = Array.from({ length: 14 }, (_, i) => `http://${i % 2 ? "a." : ""}many.example/${i}`);
    pages({ [DOCS]: links(...urls), "many.example": links(), "a.many.example": links() });
    await run([...EDIT, DOCS], read(DOCS), read(...urls.slice(0, 6)));
    const resumed = await run([...EDIT, "-c", "go on"], read(...urls.slice(6, 12)), read(DOCS));
    expect(resumed.told.filter((text) => text.includes("10 addresses of many.example were read"))).toHaveLength(2);
    expect(heard().filter((url) => url.includes("many.example"))).toHaveLength(10);
    pages();
    const forked = await run([...EDIT, "-c", "--fork", "http://many.example/12 is fine"], read(urls[12]!, urls[13]!));
    expect(heard()).toEqual([urls[12]]);
    expect(forked.code).toBe(4);
  });

  it("instruction files name addresses: the user's own, and a trusted folder's that are older than the session", async () => {
    await put(".lathe/AGENTS.md", "Our guide is at http://own.example/guide.", scene.box.home);
    await put("AGENTS.md", "The API: http://project.example/api");
    await put("sub/AGENTS.md", "More: http://sub.example/");
    await put("sub/a.txt", "text\n");
    pages({ "own.example": links(), "project.example": links(), "sub.example": links(), "new.example": links() });
    const urls = [
      "http://own.example/guide",
      "http://project.example/api",
      "http://sub.example/",
      "http://new.example/",
    ];
    const steps = [
      call("read_file", { file_path: "sub/a.txt" }),
      call("write_file", { file_path: "new/AGENTS.md", content: "http://new.example/\n" }),
      call("read_file", { file_path: "new/AGENTS.md" }),
      read(...urls),
    ];
    await run([...EDIT, "go"], ...steps);
    expect(heard()).toEqual([urls[0]]);
    pages();
    await rm(join(scene.box.dir, "new"), { recursive: true });
    await scene.box.run(["trust"]);
    await run([...EDIT, "go"], ...steps);
    expect(heard()).toEqual([urls[0], urls[1], urls[2]].sort());
  });
});

describe("who shows an address", () => {
  it("a person who is asked about a page is told why, and what they steer with is typed; what the page links is shown then", async () => {
    const [made, linked, steered] = ["http://made.example/x", "http://linked.example/", "http://steered.example/"];
    pages({ "made.example": links(linked), "linked.example": links(), "steered.example": links() });
    queued.push(read(made), read(linked, steered), turn.text("done"));
    const args = ["--mode", "rpc", ...scene.args, ...EDIT];
    const host = new RpcHost(scene.box.open(args, { ...scene.env, ...web.env }));
    const asked = host.wait("the question", ({ type }) => type === "extension_ui_request");
    host.send({ type: "prompt", message: "go" });
    const { id } = await asked;
    expect(JSON.stringify(host.frames)).toContain("This address was not shown: neither you, an instruction file");
    await host.ask("steer", { message: `and look at ${steered}` });
    host.send({ type: "extension_ui_response", id, confirmed: true });
    await host.event("agent_end");
    expect(host.frames.filter(({ type }) => type === "extension_ui_request")).toHaveLength(1);
    expect(heard()).toEqual([linked, made, steered]);
    expect(await host.finish()).toBe(0);
  });

  it("what a child is told was not typed by the user; the pages that it reads are shown to its parent", async () => {
    const [linked, told] = ["http://linked.example/", "http://told.example/secret"];
    pages({ [DOCS]: links(linked), "linked.example": links(), "told.example": links() });
    const parent: Step = ({ view, text }) => {
      const results = view.messages.flatMap((message) => message.results);
      if (text.includes("You are an agent") || view.messages[0]?.text.includes("look into it"))
        return results.length === 0 ? read(DOCS, told) : turn.text("looked");
      const agent = /"agent_id":"(\w+)"/.exec(results[0]?.text ?? "")?.[1];
      if (agent === undefined) return call("spawn_agent", { task: `look into it, and read ${told}` });
      if (results.length === 1) return call("wait", { agent_id: agent });
      return results.length === 2 ? read(linked) : turn.text("done");
    };
    queued.push(...Array.from({ length: 12 }, () => parent));
    await scene.run([...EDIT, `Read ${DOCS}.`], { env: web.env });
    expect(heard()).toEqual([DOCS, linked]);
  });
});

describe("servers on the loopback", () => {
  let other: Server;
  afterEach(() => void other?.close());

  it("the session's own needs no question and shows nothing; another program's is closed until the user types it", async () => {
    other = createServer((request, response) => {
      if (request.url === "/go") return leadsTo("http://evil.example/led")(response);
      response.setHeader("content-type", "text/html").end(links("http://evil.example/secret", "/more"));
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const typed = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
    const page = "<p>mine</p><a href=http://evil.example/secret>x</a>";
    await put(
      "server.cjs",
      `require("node:http").createServer((q, r) => r.setHeader("content-type", "text/html").end(${JSON.stringify(page)}))
        .listen(0, "127.0.0.1", function () { require("node:fs").writeFileSync("port", String(this.address().port)) })`,
    );
    const own: Step = (request) =>
      read(`http://localhost:${/\d{4,5}/.exec(request.view.messages.at(-1)?.results[0]?.text ?? "")?.[0]}/`, typed);
    const serve = [
      call("shell", { command: "node server.cjs", background: true }),
      call("shell", { command: "until [ -s port ]; do sleep 0.1; done; cat port" }),
      own,
      read("http://evil.example/secret"),
    ];
    const args = [...EDIT, "--allow", "shell"];
    const first = await run([...args, "go"], ...serve);
    expect(first.told[2]).toContain("mine");
    expect(first.told[3]).toMatch(/Port \d+ does not belong to a server of this session/);
    expect(first.told[4]).toContain("was not shown");
    // The session may have written what a typed port serves: it shows nothing, and leads nowhere.
    const second = await run(
      [...args, `go, ${typed} and ${typed}go are mine`],
      read(typed),
      read("http://evil.example/secret", `${typed}go`, `${typed}more`),
    );
    expect(second.told[0]).toContain("words of the page");
    expect(second.told[1]).toContain("was not shown");
    expect(second.told[1]).toContain("It would be allowed with --allow 'network(evil.example)'.");
    expect(second.told[2]).toContain("led, which was not followed. This address was not shown");
    expect(second.told[3]).toContain("It would be allowed with its address in the prompt.");
    expect(heard()).toEqual([]);
  });
});
