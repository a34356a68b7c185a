// /review in a conversation: the findings are shown, the model knows them, and an interrupt ends it.

import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { gate, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { conversation, type Talk } from "./conversation-kit.ts";
import { rolesScript } from "./review-kit.ts";

let talk: Talk;
afterEach(async () => {
  await talk.talk.close();
  await talk.server.close();
});

async function project(cwd: string): Promise<void> {
  talk = await conversation({}, { cwd, files: { [join(cwd, "a.js")]: "let password = 1;\n" } });
  execFileSync("git", ["init", "-q"], { cwd: join(talk.root, cwd) });
}
const finding = {
  title: "Secret in the code",
  body: "Anybody can read it.",
  path: "a.js",
  line: 1,
  quote: "let password = 1;",
};

describe("/review", () => {
  it("shows what was found, and the next request to the model has it", async () => {
    await project("project");
    talk.answer(rolesScript({ findings: (lens) => (lens === "security" ? [finding] : []) }));
    await talk.say("/review");
    const text = talk.lines.join("\n");
    expect(text).toContain("Reviewing uncommitted changes (1 file, +1 -0)");
    expect(text).toContain("1. [P2] Secret in the code\n   a.js:1  (security)\n   > let password = 1;");
    expect(talk.talk.session.subagents.list().map(({ agentId, status }) => `${agentId} ${status}`)).toEqual(
      ["correctness", "security", "tests", "simplicity", "critic-1"].map((name) => `${name} completed`),
    );
    talk.answer(() => turn.text("ok"));
    await talk.say("fix 1");
    expect(talk.lastSent()).toContain("Secret in the code");
    await expect(talk.say("/review nope")).rejects.toThrow('There is no commit "nope" here.');
  });

  it("an interrupt ends all reviewers, and the conversation goes on", async () => {
    await project("project");
    const door = gate();
    talk.answer(() => turn.text("thinking", { before: door.wait }));
    const review = talk.say("/review");
    await door.reached;
    expect(talk.talk.isBusy).toBe(true);
    talk.talk.interrupt();
    await review;
    expect(talk.lines.at(-1)).toBe("Review interrupted.");
    expect(talk.talk.session.state).toBe("idle");
    const views = join(talk.root, ".lathe-home/views");
    expect(readdirSync(views).flatMap((name) => readdirSync(join(views, name)))).toEqual([]);
    talk.answer(() => turn.text("ok"));
    await talk.say("hello");
    expect(talk.lastSent()).not.toContain("password");
    door.open();
  });

  it("where no view is possible, reviewers have only tools that read", async () => {
    // Our own files are in the repository here.
    await project(".");
    talk.answer(rolesScript({ findings: () => [finding] }));
    await talk.say("/review");
    expect(talk.lines.join("\n")).toContain("1. [P2] Secret in the code");
    const tools = talk.server.requests[0]!.view.tools;
    expect(tools).toContain("read_file");
    for (const name of ["shell", "write_file", "edit_file", "task"]) expect(tools).not.toContain(name);
  });
});
