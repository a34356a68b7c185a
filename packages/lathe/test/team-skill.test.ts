// The bundled skill `team`: where it can be used, what the model gets, and which other skills take precedence.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { checkGate } from "../src/conversation/gates/gate.ts";
import { type Stage, stage } from "./contract-kit.ts";
import { hasTmux, TmuxServer } from "./tmux-kit.ts";

let scene: Stage;
afterEach(() => scene.close());

describe("the skill team", () => {
  it("G-104 G-100 outside of lathe --tmux it is refused in one line, and the model hears nothing of it", async () => {
    scene = await stage([turn.text("Never.")]);
    const { code, stderr } = await scene.run(["-p", "/skill:team Port the parsers"]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        "lathe: A team needs panes of tmux. Start the session with lathe --tmux (lathe --tmux -c continues the last one), and use /skill:team there.\n",
    });
    expect(scene.server.requests).toEqual([]);
  });

  it("G-100 G-104 a skill of the project with the same name is used instead, also outside of tmux, and it is said which one", async () => {
    scene = await stage([turn.text("Ours.")]);
    const fileOf = (name: string): string => join(scene.box.dir, ".lathe/skills", name, "SKILL.md");
    for (const name of ["team", "ultragoal"]) {
      mkdirSync(dirname(fileOf(name)), { recursive: true });
      writeFileSync(fileOf(name), `---\nname: ${name}\ndescription: ours\n---\nAsk the others at lunch.\n`);
    }
    expect(await scene.run(["-p", "/skill:team x"])).toEqual({
      ...{ code: 0, stdout: "Ours.\n" },
      stderr: `lathe: /skill:team is the skill ${fileOf("team")}, not the bundled one.\n`,
    });
    expect(scene.server.requests[0]?.text).toContain("Ask the others at lunch.");
    const { stdout } = await scene.box.run(["workflow", "list", "--json"]);
    const { workflows } = JSON.parse(stdout) as { workflows: { name: string; replacedBy?: string }[] };
    expect(workflows.flatMap(({ name, replacedBy }) => (replacedBy ? [[name, replacedBy]] : []))).toEqual([
      ["ultragoal", fileOf("ultragoal")],
    ]);
    const { stderr } = await scene.run(["-p", "/skill:nothing"]);
    expect(stderr.match(/\/skill:[a-z]+\b/g)).toEqual([...new Set(stderr.match(/\/skill:[a-z]+\b/g))]);
    expect(stderr.match(/\/skill:ultragoal\b/g)).toHaveLength(1);
  });

  it("G-104 a gate with the stage team is refused by its code", async () => {
    scene = await stage([]);
    const gate = { stage: "team" as never, schema: { type: "string" } };
    expect(() => checkGate(gate)).toThrow(expect.objectContaining({ code: "invalid_workflow_stage" }));
    expect(() => checkGate({ ...gate, stage: "ralplan" })).not.toThrow();
  });

  it.skipIf(!hasTmux)(
    "G-104 in a session of lathe --tmux the model gets the skill and what the user wants",
    async () => {
      scene = await stage(() => turn.text("Divided."));
      const tmux = new TmuxServer();
      try {
        const env = { LATHE_TMUX_SOCKET: tmux.socket, LATHE_TMUX_SESSION: "lead" };
        await scene.run(["--tmux", "/skill:team Port the parsers"], { env });
        await expect.poll(() => tmux.screen("lead")).toContain("Divided.");
        expect(scene.server.requests.map(({ text }) => text).join("\n")).toMatch(
          /<skill name=\\?"team\\?">[\s\S]*Port the parsers/,
        );
      } finally {
        tmux.close();
      }
    },
  );
});
