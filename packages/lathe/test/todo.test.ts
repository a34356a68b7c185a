import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { conversation } from "./conversation-kit.ts";
import { MODEL, type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
beforeEach(async () => {
  rig = await setup();
});
afterEach(() => rig.remove());

const todo = (...ops: object[]) => turn.calls([{ name: "todo", args: { ops } }]);
const init = { op: "init", list: [{ phase: "Build", items: ["compile", "link"] }] };
const texts = (n: number): string => JSON.stringify(rig.server.requests[n]?.body);
const config = (text: string) => {
  const file = join(rig.box.dir, "settings.yml");
  writeFileSync(file, text);
  return file;
};

describe("the todo list", () => {
  it("T-TODO-1 G-79 settled tasks leave the list after the delay, and the host hears of it", async () => {
    rig.server.push(todo(init, { op: "done", task: "compile" }), turn.text("ok"));
    const host = await rig.start("--config", config("tasks:\n  todoClearDelay: 0\n"));
    await host.prompt("go");
    await host.event("todo_auto_clear");
    const { todoPhases } = await host.data<{ todoPhases: unknown }>("get_state");
    expect(JSON.stringify(todoPhases)).toContain("link");
    expect(JSON.stringify(todoPhases)).not.toContain("compile");
    expect(await host.finish()).toBe(0);
  });

  it("T-TODO-1 G-06 LS-04 a change that failed is brought up again with the next input, once, and the host hears of it", async () => {
    rig.server.push(todo(init, { op: "done", task: "missing" }), turn.text("ok"), turn.text("sorry"), turn.text("yes"));
    const host = await rig.start();
    await host.prompt("go");
    expect(texts(1)).not.toContain("last change to the todo list");
    await host.prompt("next");
    expect(texts(2)).toContain("last change to the todo list");
    await host.prompt("again");
    const events = host.events().map(({ type }) => type);
    expect(events.filter((type) => type === "todo_reminder")).toHaveLength(1);
    // Between the first input's end and the second's first answer.
    expect(events.indexOf("todo_reminder")).toBeGreaterThan(events.indexOf("agent_end"));
    expect(events.indexOf("todo_reminder")).toBeLessThan(events.indexOf("agent_end", events.indexOf("agent_end") + 1));
    expect(texts(3).match(/last change to the todo list/g)).toHaveLength(1);
    expect(await host.finish()).toBe(0);
  });

  it("T-TODO-1 G-80 a session that is resumed goes on with its open tasks only", async () => {
    rig.server.push(todo(init, { op: "done", task: "compile" }), turn.text("ok"));
    await rig.box.run([...MODEL, "-p", "go"], { env: rig.env });
    rig.server.push(todo({ op: "note", task: "link", text: "static" }), turn.text("ok"));
    await rig.box.run([...MODEL, "-c", "-p", "and now"], { env: rig.env });
    const result = rig.server.requests.at(-1)?.body as object;
    expect(JSON.stringify(result)).toContain("1 open\\n## Build\\n- [/] link");
  });

  it("T-TODO-1 G-80 /todo: the user's change is recorded as theirs and told to the model; export and import round trip", async () => {
    const plan = "## Ship\n- [x] tag\n- [/] publish\n  > ask first\n";
    const talk = await conversation({}, { files: { "plan.md": plan } });
    try {
      for (const line of ["import plan.md", "export out.md", "done publish", "add announce"])
        await talk.say(`/todo ${line}`);
      const written = join(talk.talk.workspace.cwd, "out.md");
      expect(readFileSync(written, "utf8")).toBe(plan);
      await expect(talk.say("/todo done nothing")).rejects.toThrow('Task "nothing" not found. See: /todo');
      await expect(talk.say("/todo import gone.md")).rejects.toThrow("gone.md: ENOENT");
      talk.server.push(turn.text("I see."));
      await talk.say("what now?");
      const body = JSON.stringify(talk.server.requests[0]?.body);
      expect(body).toContain("The user changed the todo list. It is now:");
      expect(body).toContain("- [/] announce");
      expect([...talk.talk.session.customEntries("user_todo_edit")]).toHaveLength(3);
      await talk.say("/todo");
      expect(talk.lines.at(-1)).toContain("Finished earlier:\n- [x] tag\n- [x] publish");
    } finally {
      await talk.talk.close();
      await talk.server.close();
    }
  });
});
