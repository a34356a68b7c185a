// Landings in a conversation that asks: what the question names, and what happens to work that was not approved.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { has } from "../../agent/test/programs.ts";
import type { ApprovalQuestion, ApprovalReply } from "../src/conversation/approvals.ts";
import { whoIs } from "./agents-kit.ts";
import { conversation, type Talk } from "./conversation-kit.ts";

describe.skipIf(!has("bwrap", "nsenter", "unshare"))("questions about landings (needs bwrap, nsenter, unshare)", () => {
  let kit: Talk;
  afterEach(async () => {
    await kit.talk.close();
    await kit.server.close();
  });

  it("SA-07 SA-08 a question names agent, assignment and files; closing it without an answer is a no, and the work is a patch", async () => {
    const asked: ApprovalQuestion[] = [];
    const person = {
      approve: async (question: ApprovalQuestion): Promise<ApprovalReply | undefined> => {
        if (question.tool_name !== "land") return { decision: "allow", by: "user" };
        asked.push(question);
        return undefined;
      },
    };
    kit = await conversation({}, { files: { "project/a.txt": "one\n" }, cwd: "project", parts: { person } });
    const task = { id: "One", assignment: "Change the file a.txt", isolated: true };
    const write = { name: "shell", id: "b", args: { command: "echo two > a.txt" } };
    kit.answer((request) => {
      const said = request.view.messages.filter(({ role }) => role === "assistant").length;
      if (whoIs(request) === "One")
        return turn.calls([said === 0 ? write : { name: "yield", id: "y", args: { output: "done" } }]);
      if (said > 0) return turn.text(`heard: ${JSON.stringify(request.view.messages.at(-1))}`);
      return turn.calls([{ name: "task", id: "t", args: { agent: "task", context: "The goal.", tasks: [task] } }]);
    });
    await kit.say("/permissions ask");
    await kit.say("go");
    const heard = () =>
      kit.server.requests.map(({ body }) => JSON.stringify(body)).find((body) => body.includes("git apply"));
    await expect.poll(heard).toBeDefined();
    expect(asked.map(({ agentId, preview }) => [agentId, preview.map(({ text }) => text)])).toEqual([
      ["One", ["Agent One: Change the file a.txt", `Write ${join(kit.root, "project/a.txt")}`]],
    ]);
    expect(readFileSync(join(kit.root, "project/a.txt"), "utf8")).toBe("one\n");
    const [, patch = ""] = /git apply --3way ([^\]]+?\.patch)/.exec(heard()!) ?? [];
    expect(readFileSync(patch, "utf8")).toContain("+two");
    expect(heard()).toContain("Denied by user: The user closed the question without an answer.");
    await kit.say("/agents");
    expect(kit.lines.join("\n")).toMatch(/One {2}task · .* · isolated copy \(overlay\) · /);
  });
});
