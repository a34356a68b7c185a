// What a session's file contains after everything that changes it was used, over RPC.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FileBlobs } from "@lathe/agent";
import { readLine } from "@lathe/agent/record";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type RpcHost, type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
beforeEach(async () => {
  rig = await setup();
});
afterEach(() => rig.remove());

const home = (name: string): string => join(rig.box.env["LATHE_HOME"]!, name);
const fileOf = async (host: RpcHost): Promise<string> =>
  (await host.data<{ sessionFile: string }>("get_state")).sessionFile;

it("G-25 every line of a session that was steered in all ways has a known kind and no unknown field; state stays out of the next request", async () => {
  const notes = "## Goal\nAll of it.\n\n## Done\nSome.\n\n## Next steps\nThe rest.";
  rig.server.push(turn.text("first ".repeat(500)), turn.text("second"), turn.text("## Tried\nThe second."));
  rig.server.push(turn.text(notes), turn.text("third"));
  await mkdir(home("extensions"), { recursive: true });
  await writeFile(
    home("extensions/note.ts"),
    `export default (lathe) => lathe.registerCommand("note", { description: "notes", run: (_, { session, ui }) => {
       session.appendEntry("mine", { secret: "private state" });
       session.appendMessage("mine", "a text of the extension");
       ui.notify("noted");
     } });`,
  );
  const host = await rig.start();
  await host.data("set_model", { provider: "openai", modelId: "gpt-5-mini" });
  await host.data("set_thinking_level", { level: "low" });
  await host.prompt("one");
  await host.prompt("two");
  await host.data("set_todos", { phases: [{ name: "secret plan", tasks: [{ content: "x", status: "pending" }] }] });
  const { messages } = await host.data<{ messages: { entryId: string }[] }>("get_branch_messages");
  await host.data("set_label", { entryId: messages[0]!.entryId, label: "start" });
  await host.data("navigate_tree", { entryId: messages[1]!.entryId, summarize: true });
  expect(await host.data("compact")).toMatchObject({
    summary: expect.stringMatching(/All of it\.|The provider keeps/),
  });
  await host.data("move_session", { directory: ".." });
  const noted = host.frames.length;
  host.send({ type: "prompt", message: "/note" });
  await host.wait("noted", (frame) => frame["message"] === "noted", noted);
  await host.prompt("three");
  const file = await fileOf(host);
  expect(await host.finish()).toBe(0);

  const blobs = new FileBlobs(home("blobs"), "test");
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const kinds = new Set<string>();
  for (const line of lines) {
    const { "~": _sum, ...written } = JSON.parse(line);
    // Reading drops what the kind does not have.
    expect(Object.keys(readLine(Buffer.from(line), blobs) ?? {})).toEqual(Object.keys(written));
    kinds.add(written.type);
  }
  for (const kind of [
    ...["model_change", "thinking_level_change", "label", "branch_summary", "compaction", "custom", "custom_message"],
  ])
    expect([...kinds]).toContain(kind);
  const sent = JSON.stringify(rig.server.requests.at(-1)?.body);
  expect(sent).toContain("The working directory of this session is now");
  expect(sent).toContain("The second.");
  expect(sent).not.toContain("secret plan");
  expect(sent).toContain("a text of the extension");
  expect(sent).not.toContain("private state");
});

it("G-29 an image of 200 KB makes a short line and one blob named by its hash; after a resume the same bytes are sent", async () => {
  const bytes = Buffer.alloc(200_000, "pixel");
  Buffer.from("89504e470d0a1a0a", "hex").copy(bytes);
  const image = { data: bytes.toString("base64"), mediaType: "image/png" };
  rig.server.push(turn.text("seen"), turn.text("seen again"), turn.text("still there"));
  const host = await rig.start();
  for (const message of ["look", "look again"]) {
    const from = host.frames.length;
    host.send({ type: "prompt", message, images: [image] });
    await host.event("agent_end", from);
  }
  const file = await fileOf(host);
  expect(await host.finish()).toBe(0);
  const shown = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.includes('"look'));
  expect(shown.map((line) => line.length < 5000)).toEqual([true, true]);
  const hash = createHash("sha256").update(bytes).digest("hex");
  expect(readdirSync(home("blobs"), { recursive: true }).filter((name) => String(name).endsWith(hash))).toHaveLength(1);
  await rig.box.run(["--session", file, "--model", "openai/gpt-5.2", "-p", "what was it?"], { env: rig.env });
  expect(JSON.stringify(rig.server.requests.at(-1)?.body).split(image.data)).toHaveLength(3);
});
