// The notice of a newer version: from npm, once a day, without delaying the work. The registry is a local one.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isNewer, versionNotice } from "../src/config/update/newer-version.ts";
import { openWorkspace } from "../src/config/workspace/workspace.ts";
import { type Box, makeBox } from "./sessions-box.ts";

const PACKAGE = "@ours/turner";

let registry: Server;
let asked: number;
let addresses: string[];
let newest: string;
let box: Box;
let now: number;
beforeEach(async () => {
  asked = 0;
  addresses = [];
  newest = "9.8.7";
  now = 1_000_000_000_000;
  registry = createServer((request, response) => {
    asked++;
    addresses.push(decodeURIComponent(request.url ?? ""));
    const document = {
      name: PACKAGE,
      "dist-tags": { latest: newest },
      versions: { [newest]: { name: PACKAGE, version: newest } },
    };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
  const { port } = registry.address() as AddressInfo;
  box = makeBox({ npm_config_registry: `http://127.0.0.1:${port}/`, npm_config_cache: "" });
});
afterEach(() => {
  registry.close();
  box.remove();
});

async function notice(settings: Record<string, unknown> = {}) {
  const machine = box.machine();
  const opened = await openWorkspace({ ...machine, deps: { ...machine.deps, now: () => now } }, {});
  return versionNotice(
    { ...opened, settings: { ...opened.settings, "updates.package": PACKAGE, ...settings } },
    "0.1.0",
  );
}

it("the first start says nothing and asks beside the work; the next one says it, and npm is asked once a day", async () => {
  const first = await notice();
  expect(first.line).toBeUndefined();
  await first.refresh();
  const second = await notice();
  expect(second.line).toMatch(/^Version 9\.8\.7 is out; this is 0\.1\.0\. To update: lathe update\. /);
  expect(new Set(addresses)).toEqual(new Set([`/${PACKAGE}`]));
  const before = asked;
  await second.refresh();
  expect(asked).toBe(before);
  now += 2 * 86_400_000;
  await (await notice()).refresh();
  expect(asked).toBeGreaterThan(before);
});

it("nobody is asked, and no stranger's package is recommended, unless the user has named one; what npm said of another is not said of it", async () => {
  await (await notice()).refresh();
  expect((await notice()).line).toBeDefined();
  expect((await notice({ "updates.package": "other" })).line).toBeUndefined();
  const before = asked;
  now += 2 * 86_400_000;
  const opened = await openWorkspace(box.machine(), {});
  expect(opened.settings["updates.package"]).toBe("");
  for (const name of ["", "x; echo y", "--version"]) {
    const off = await notice({ "updates.package": name });
    await off.refresh();
    expect([off.line, asked]).toEqual([undefined, before]);
  }
});

it("a registry that does not answer is no problem, and is not asked again the same day", async () => {
  registry.close();
  registry.closeAllConnections();
  const offline = await notice();
  await offline.refresh();
  expect((await notice()).line).toBeUndefined();
});

it("versions are compared by their numbers", () => {
  expect(isNewer("0.10.0", "0.9.9")).toBe(true);
  expect(isNewer("0.1.0", "0.1.0")).toBe(false);
  expect(isNewer("0.1.0-beta.1", "0.1.0")).toBe(false);
  expect(isNewer("0.1.0", "0.1.0-beta.1")).toBe(true);
});
