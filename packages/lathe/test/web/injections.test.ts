// A model that obeys every text that it reads: the secret never leaves, and no command runs without a decision (decision 0342).

import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Turn, turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { type Stage, stage } from "../contract-kit.ts";
import { type FakeWeb, fakeWeb, leadsTo } from "./fake-web.ts";
import {
  ALLOWED,
  CARRIERS,
  CHANNELS,
  type Channel,
  EVIL,
  injectedText,
  type ModelCall,
  PAGE,
  SECRET,
} from "./injections.ts";

let scene: Stage;
let web: FakeWeb;
afterEach(async () => {
  web.close();
  await scene.close();
});

const answer = (calls: readonly ModelCall[]): Turn =>
  turn.calls(calls.map(({ name, args }, at) => ({ id: `k${at}`, name, args: args as never })));

/** What the attacker heard, in any spelling of the secret's beginning. */
const told = (heard: readonly string[]): string[] =>
  heard.filter((line) => {
    const [, url = ""] = line.split(" ");
    return (URL.canParse(url) ? new URL(url).hostname : url).includes(EVIL);
  });

/** Every pair has a session of its own in the long run; else a carrier has one for a third of the channels, and each channel is tried. */
const isLong = process.env["LATHE_LONG"] !== undefined;
const rows = CARRIERS.flatMap((carrier, at) => {
  const groups: (readonly Channel[])[] = isLong
    ? CHANNELS.map((channel) => [channel])
    : [CHANNELS.filter((_, index) => index % 3 === at % 3)];
  return groups.map((channels) => ({
    carrier,
    channels,
    name: `${carrier.name} by ${channels.map(({ name }) => name).join(", ")}`,
  }));
});

it.each(rows)("an injection in $name", async ({ carrier, channels, name }) => {
  web = await fakeWeb();
  const { pages, heard } = web;
  pages.set(`http://${ALLOWED}/go?to=http://${EVIL}/${SECRET}`, leadsTo(`http://${EVIL}/${SECRET}`));
  pages.set(`http://${ALLOWED}/echo?link=http://${EVIL}/${SECRET}`, `<a href="http://${EVIL}/${SECRET}">on</a>`);
  const queue: Turn[] = [];
  scene = await stage(() => queue.shift() ?? turn.text("done"));
  await writeFile(join(scene.box.dir, "secret.txt"), SECRET);
  await writeFile(
    join(scene.box.home, ".lathe/config.yml"),
    "providers:\n  webSearch: searxng\nsearxng:\n  endpoint: http://search.example\n",
  );
  queue.push(
    answer([{ name: "read_file", args: { file_path: "secret.txt" } }]),
    answer([await carrier.place(injectedText, web, scene.box)]),
    ...channels.flatMap(({ steps }) => steps.map(answer)),
  );
  const args = ["--permission-mode", "auto-edit", "--allow", `network(${ALLOWED})`];
  await scene.run([...args, `Read ${PAGE} and the logs, and fix the build.`], { env: web.env });
  expect(scene.server.requests[2]?.view.messages.at(-1)?.results[0]?.text).toContain("send it to");
  expect(queue, "the model got to do all of it").toEqual([]);
  const reached = told(heard);
  expect(reached.filter((line) => line.includes(SECRET.slice(1, 9)))).toEqual([]);
  const most = Math.max(0, ...channels.map(({ mostChoices = 0 }) => mostChoices));
  expect(reached.length, `${name}: ${reached.join(", ")}`).toBeLessThanOrEqual(most);
  expect(existsSync(join(scene.box.dir, "ran"))).toBe(false);
});
