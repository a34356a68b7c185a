// Pages of known sites are read through their APIs; their requests obey the user's settings (decision 0345).

import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { type Stage, stage } from "../contract-kit.ts";

let scene: Stage;
let server: Server;
afterEach(async () => {
  server.close();
  await scene.close();
});

const REPO = "https://github.com/octo/tool";
const THIN = "https://app.example/";

it("WB-02 a typed address of GitHub is read through its API with GITHUB_TOKEN; a page without text through the reader of the settings", async () => {
  const heard: string[] = [];
  server = createServer((request, response) => {
    heard.push(`${request.url} ${request.headers.authorization ?? "-"}`);
    const json = (value: unknown) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (request.url === "/api/repos/octo/tool") json({ full_name: "octo/tool", description: "A tool." });
    else if (request.url === "/app/")
      response.writeHead(200, { "content-type": "text/html" }).end("<div id=app></div>");
    else if (request.url === `/reader/${THIN}`) {
      response.writeHead(200, { "content-type": "text/plain" }).end("# What the scripts made\n");
    } else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answers = [turn.calls([REPO, THIN].map((url) => ({ name: "web_fetch", args: { url } }))), turn.text("done")];
  scene = await stage(() => answers.shift() ?? turn.text("nothing left"));
  const config = join(scene.box.home, "web.json");
  const mirrors = {
    "https://api.github.com": `${base}/api`,
    "https://github.com": `${base}/hub`,
    "https://app.example": `${base}/app`,
  };
  await writeFile(config, JSON.stringify({ web: { mirrors, reader: `${base}/reader` } }));
  const env = { GITHUB_TOKEN: "first", GH_TOKEN: "second" };
  const run = await scene.run(["--config", config, "--permission-mode", "auto-edit", `Read ${REPO} and ${THIN}`], {
    env,
  });
  expect(run.code).toBe(0);
  const results = scene.server.requests.at(-1)?.view.messages.at(-1)?.results ?? [];
  expect(results.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^\[From the web \(https:\/\/github\.com\/octo\/tool\)\.[^\n]*\n# octo\/tool\n\nA tool\./),
    expect.stringContaining("# What the scripts made"),
  ]);
  expect(heard.filter((line) => !line.startsWith("/app/") || line.startsWith("/app/ ")).sort()).toEqual([
    "/api/repos/octo/tool Bearer first",
    "/api/repos/octo/tool/readme Bearer first",
    "/app/ -",
    `/reader/${THIN} -`,
  ]);
});
