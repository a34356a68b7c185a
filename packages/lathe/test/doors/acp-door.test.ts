// An editor's session that others join: the SDK's client, a terminal and another program at the same time.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gate, turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { joinLocally } from "../../src/doors/local/local-door.ts";
import { Editor, type EditorOptions, EVERYTHING } from "../acp-kit.ts";
import { type Stage, stage } from "../contract-kit.ts";
import type { InsideCommand } from "../machine.ts";
import { InsideTerminal } from "../terminal.ts";
import { clientNamed, Follower, saidIn } from "./follower.ts";
import { shell } from "./served-conversation.ts";

let scene: Stage;
let editor: Editor<InsideCommand>;
afterEach(() => scene.close());

const phone = clientNamed("phone");
const { terminal: _, ...FILES_ONLY } = EVERYTHING;
const doors = (): string => join(scene.box.home, ".lathe/doors");
const made = (name: string): boolean => existsSync(join(scene.box.dir, name));

async function open(script: Parameters<typeof stage>[0], options: EditorOptions): Promise<string> {
  scene = await stage(script);
  const args = ["acp", ...scene.args, "--permission-mode", "ask"];
  editor = new Editor(scene.box.open(args, scene.env), options);
  await editor.initialize(options.capabilities);
  return (await editor.create(scene.box.dir)).sessionId;
}

async function joined(sessionId: string) {
  const door = await joinLocally(doors(), sessionId, phone);
  if (!door) throw new Error("The session has no local door.");
  return door;
}

it("M1 G-17 an editor, an attached terminal and a program in one session: one answer takes effect, all see the same, and each sees what the others say", async () => {
  const late = gate();
  const seconds = gate();
  let asked = 0;
  const sessionId = await open(
    [
      turn.blocks([shell("touch first")]),
      turn.blocks([shell("touch second")]),
      turn.text("Both are there."),
      turn.text("Said to the phone.", { before: seconds.wait }),
      turn.text("Said to the editor."),
    ],
    {
      capabilities: FILES_ONLY,
      permission: async () => {
        if (asked++ > 0) return "once";
        await late.wait();
        return "reject";
      },
    },
  );
  const terminal = new InsideTerminal(scene.box, { ...scene.env, NO_COLOR: "1", LATHE_NO_TITLE: "1" });
  let at = terminal.type(`lathe attach ${sessionId.slice(0, 8)}`);
  at = await terminal.see(at, /› /);
  const door = await joined(sessionId);
  const follower = new Follower(door, phone);
  // A question that comes before the follower would be part of its snapshot.
  await follower.wait("snapshot");

  // The phone answers first, while the editor's user is still reading the question.
  const work = editor.prompt(sessionId, "make them");
  const { question } = await follower.wait("question");
  await late.reached;
  at = await terminal.see(at, /make them[\s\S]*│ touch first\r?\nAllow this\?/);
  expect(await door.answer(phone, question.id, { confirmed: true })).toEqual({ status: "accepted" });
  // The editor answers the second one.
  expect((await work).stopReason).toBe("end_turn");
  late.open();
  expect([made("first"), made("second")]).toEqual([true, true]);
  expect(editor.wire.methods("agent")).toContain("$/cancel_request");
  await follower.event("agent_end");
  const settled = follower.frames.flatMap((frame) => (frame.kind === "settled" ? [frame.by] : []));
  expect(settled).toEqual(["phone", "the editor"]);
  at = await terminal.see(at, /Answered by phone\.[\s\S]*Both are there\./);

  // Another client's prompt appears in the editor; the editor's next prompt waits for its end.
  await door.command(phone, "prompt", { message: "from the phone" });
  await seconds.reached;
  const next = editor.prompt(sessionId, "from the editor");
  seconds.open();
  expect((await next).stopReason).toBe("end_turn");
  expect(editor.of("user_message_chunk")).toMatchObject([{ content: { text: "from the phone" } }]);
  expect(editor.text()).toBe("Both are there.Said to the phone.Said to the editor.");
  await follower.wait("event", () => saidIn(follower.events) === editor.text());
  at = await terminal.see(
    at,
    /from the phone[\s\S]*Said to the phone\.[\s\S]*from the editor[\s\S]*Said to the editor\./,
  );

  // The editor can show only this session.
  await expect(door.command(phone, "new_session", {})).rejects.toMatchObject({ code: "not_available" });
  await editor.agentSide.request("session/close", { sessionId });
  await follower.wait("closed");
  await terminal.see(at, /The session was closed\.[\s\S]*ended-0/);
  await expect.poll(() => readdirSync(doors())).toEqual([]);
  await door.close();
  await editor.leave();
});

it("M1 G-17 lathe -c joins the session of an editor; without forms there, a question of the model ends the turn for all", async () => {
  const questions = [{ id: "colour", question: "Which colour?", options: [{ label: "red" }, { label: "blue" }] }];
  const { elicitation: _forms, ...capabilities } = FILES_ONLY;
  const sessionId = await open([turn.calls([{ name: "ask_user", args: { questions } }]), turn.text("So it is blue.")], {
    capabilities,
  });
  expect((await editor.prompt(sessionId, "ask me")).stopReason).toBe("end_turn");
  const terminal = new InsideTerminal(scene.box, { ...scene.env, NO_COLOR: "1", LATHE_NO_TITLE: "1" });
  const at = terminal.type('lathe -c --plain "blue"');
  await terminal.see(at, /You have joined it there\.[\s\S]*So it is blue\./);
  await editor.saw(({ update }) => JSON.stringify(update).includes("So it is blue."));
  expect(editor.of("user_message_chunk")).toMatchObject([{ content: { text: "blue" } }]);
  await editor.leave();
  await terminal.see(at, /The session was closed\.[\s\S]*ended-0/);
});
