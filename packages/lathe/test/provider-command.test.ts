// A provider that is added in a conversation answers in it.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { project } from "./project-kit.ts";

it("G-54 /provider add takes effect in the running session: its model can be chosen and answers", async () => {
  await using p = await project({});
  const file = join(p.root, "home/.lathe/models.yml");
  await expect(p.say("/model glm-proxy/glm-5.2")).rejects.toThrow("glm-proxy");
  await p.say("/provider add --preset glm");
  expect(p.lines.at(-1)).toBe("Its models are now available: /model");
  // The real address is not ours to call.
  const entry = await readFile(file, "utf8");
  const here = entry
    .replace(/baseUrl: .*/, `baseUrl: ${p.server.baseUrl("openai")}`)
    .replace("ZAI_API_KEY", "OPENAI_API_KEY");
  await writeFile(file, here);
  await p.say("/provider add --preset glm");
  await p.say("/model glm-proxy/glm-5.2");
  await p.say("hello", turn.text("hi"));
  expect(p.server.requests.at(-1)?.body).toMatchObject({ model: "glm-5.2" });
  await writeFile(file, "providers: [this is no map]\n");
  const before = p.lines.length;
  await expect(p.say("/provider add --preset minimax")).rejects.toThrow();
  expect(p.lines).toHaveLength(before);
  await p.say("again", turn.text("still here"));
});

it("a provider that is added after /add-dir can be chosen, in this session and the next", async () => {
  await using p = await project({ "more/notes.txt": "" });
  await p.say(`/add-dir ${join(p.root, "more")}`);
  await p.say("/provider add --preset glm");
  const file = join(p.root, "home/.lathe/models.yml");
  const here = (await readFile(file, "utf8")).replace("ZAI_API_KEY", "OPENAI_API_KEY");
  await writeFile(file, here.replace(/baseUrl: .*/, `baseUrl: ${p.server.baseUrl("openai")}`));
  await p.say("/provider add --preset glm");
  await p.say("/model glm-proxy/glm-5.2");
  await p.say("/new");
  await p.say("hello", turn.text("hi"));
  expect(p.server.requests.at(-1)?.body).toMatchObject({ model: "glm-5.2" });
});
