// Reports of jobs, agents and the loop to the model are not shown as the user's words, wherever a session is displayed.

import { userMessages } from "@lathe/agent/record";
import { Message } from "@lathe/llm";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Box, makeBox } from "./sessions-box.ts";
import { answer, user } from "./sessions-fixture.ts";

const told = (text: string, more: object) => ({ type: "message", message: Message.user(text), ...more }) as const;
const INTERNAL = /<background_job|<agent_result|<system-|<rule|SYSTEM WARNING|&lt;(?:background|agent_|system-|rule)/;

let box: Box;
let id: string;
beforeEach(async () => {
  box = makeBox();
  const { journal, ...made } = box.maker.make();
  id = made.id;
  journal.append(user("build it"));
  journal.append(answer("on it"));
  const job = '<background_job id="1" status="done">\n$ make all\n<div>\nbuilt\n[exit code 0]\n</background_job>';
  journal.append(told(job, { origin: "follow_up", source: { kind: "job", id: "1" } }));
  const warning = "SYSTEM WARNING: Subagent exited without calling yield tool after 3 reminders.";
  const result = `<agent_result id="Scout" status="failed">\n${warning}\nTwo callers.\n</agent_result>`;
  journal.append(told(result, { origin: "steering", source: { kind: "agent", id: "Scout" } }));
  journal.append(told("<system-reminder>The todo list has errors.</system-reminder>", { origin: "injected" }));
  journal.append(told('Rules.\n\n<rule name="sql">\nUpper case.\n</rule>', { origin: "injected" }));
  journal.append(answer("done"));
  expect(userMessages(journal).map(({ message }) => message.content)).toEqual([Message.user("build it").content]);
  await journal.close();
});
afterEach(() => box.remove());

it("G-31 G-33 SP-07 sessions show, tree and export name who said it, without the marks for the model", async () => {
  const shown = (await box.run("sessions", "show", id, "--full")).stdout;
  expect(shown).toContain("-- Job 1 has ended: make all\n<div>\nbuilt\n[exit code 0]\n");
  expect(shown).toContain("-- Scout failed\nTwo callers.\n");
  expect(shown).toContain("-- Note to the model\nThe todo list has errors.\n");
  expect(shown.match(/^> user/gm)).toHaveLength(1);
  const tree = (await box.run("sessions", "tree", id)).stdout;
  expect(tree).toContain("Note: Job 1 has ended: make all <div> built [exit code 0]");
  expect(tree.match(/ You: /g)).toHaveLength(1);
  expect((await box.run("sessions", "tree", id, "--filter", "user-only")).stdout.trim().split("\n")).toHaveLength(1);
  const exported = (await box.run("sessions", "export", id, "--out", "-")).stdout;
  expect(exported).toContain("Scout failed");
  for (const text of [shown, tree, exported]) expect(text).not.toMatch(INTERNAL);
});
