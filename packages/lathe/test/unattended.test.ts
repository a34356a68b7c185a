// G-11: unattended sessions. Only a complete declaration creates one; from then on its scopes, actions and budget
// apply.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Script, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { readDeclaration, UNATTENDED_SCOPES } from "../src/conversation/unattended/declaration.ts";
import { Unattended } from "../src/conversation/unattended/unattended.ts";
import { COMMANDS, type CommandName } from "../src/hosts/rpc/commands.ts";
import { jsonLines, type Stage, stage } from "./contract-kit.ts";
import { RpcHost } from "./rpc-host.ts";

let scene: Stage;
afterEach(() => scene.close());

const BUDGET = { max_tokens: 1_000_000, max_tool_calls: 50, max_wall_time_ms: 600_000, max_cost_usd: 5 };
const declare = (more: object = {}) => ({
  actor: "night job",
  budget: BUDGET,
  scopes: [...UNATTENDED_SCOPES],
  action_allowlist: ["bash.readonly", "file.write", "shell(echo *)"],
  ...more,
});
const shell = (command: string) => turn.calls([{ name: "shell", args: { command } }]);

async function host(script: Script, ...args: string[]): Promise<RpcHost> {
  scene = await stage(script);
  return new RpcHost(scene.box.open([...scene.args, "--mode", "rpc", ...args], scene.env));
}
const negotiate = (rpc: RpcHost, declaration: unknown) => rpc.ask("negotiate_unattended", { declaration });
const sessionFile = (): string => {
  const home = join(scene.box.env["LATHE_HOME"] ?? "", "sessions");
  const names = readdirSync(home, { recursive: true, encoding: "utf8" });
  return join(home, names.find((name) => name.endsWith(".jsonl")) ?? "");
};
const auditOf = async (): Promise<{ decision: string; callId: string; by: string; reason?: string }[]> => {
  const shown = await scene.box.run(["sessions", "show", sessionFile(), "--audit", "--json"]);
  return JSON.parse(shown.stdout);
};

describe("G-11 unattended sessions", () => {
  it("a declaration without one of its parts, or with a wrong one, is refused by name; the session stays attended", async () => {
    const rpc = await host([turn.text("ok")]);
    const { max_cost_usd: _cost, ...noCost } = BUDGET;
    const wrong: [unknown, RegExp][] = [
      ...["actor", "budget", "scopes", "action_allowlist"].map((key): [unknown, RegExp] => {
        return [declare({ [key]: undefined }), new RegExp(key)];
      }),
      ...Object.keys(BUDGET).map((key): [unknown, RegExp] => {
        return [declare({ budget: { ...BUDGET, [key]: undefined } }), new RegExp(key)];
      }),
      ...[0, -1, "5", null].map((value): [unknown, RegExp] => {
        return [declare({ budget: { ...BUDGET, max_tokens: value } }), /max_tokens/];
      }),
      [declare({ budget: noCost }), /max_cost_usd/],
      [declare({ actor: "" }), /actor/],
      [declare({ scopes: [] }), /scopes/],
      [declare({ scopes: ["everything"] }), /scopes/],
      [declare({ action_allowlist: ["bash.everything"] }), /action_allowlist\[0\].*bash\.readonly/],
      [declare({ action_allowlist: ["shell(("] }), /action_allowlist\[0\]/],
      [declare({ extra: true }), /extra/],
      [{}, /actor|budget|scopes|action_allowlist/],
    ];
    for (const [declaration, says] of wrong) {
      const answer = await negotiate(rpc, declaration);
      expect([declaration, answer]).toMatchObject([
        declaration,
        { success: false, error: { code: "invalid_declaration", message: expect.stringMatching(says) } },
      ]);
    }
    expect(await rpc.ask("bash", { command: "echo still attended" })).toMatchObject({
      success: true,
      data: { stdout: "still attended\n" },
    });
    expect(scene.server.requests).toEqual([]);
    expect(await rpc.finish()).toBe(0);
  });

  it("every command needs its scope: with all others it is denied, and the table of the documentation says the same", async () => {
    const rows: string[] = [];
    scene = await stage([]);
    const commands = (Object.keys(COMMANDS) as CommandName[]).filter((name) => name !== "negotiate_unattended");
    for (const scope of UNATTENDED_SCOPES) {
      const others = UNATTENDED_SCOPES.filter((one) => one !== scope);
      const read = readDeclaration(declare({ scopes: others }));
      if ("problem" in read) throw new Error(read.problem);
      const unattended = new Unattended(read, { setTimer: () => ({ cancel: () => {} }), onStop: () => {} });
      for (const command of commands) {
        const refused = unattended.judge(command, COMMANDS[command].scope);
        const isDenied = COMMANDS[command].scope === scope;
        expect([command, refused?.code]).toEqual([command, isDenied ? "scope_denied" : undefined]);
        if (isDenied) expect(refused).toMatchObject({ scope, message: expect.stringContaining(command) });
      }
      const names = commands.filter((name) => COMMANDS[name].scope === scope).map((name) => `\`${name}\``);
      rows.push(`| \`${scope}\` | ${names.join(", ")} |`);
    }
    const page = new URL("../../../docs/limits.md", import.meta.url);
    const text = readFileSync(page, "utf8");
    const table = `<!-- scopes -->\n\n| scope | commands |\n|---|---|\n${rows.join("\n")}\n\n<!-- /scopes -->`;
    const written = text.replace(/<!-- scopes -->[\s\S]*<!-- \/scopes -->/, table);
    if (process.env["LATHE_WRITE_DOCS"]) writeFileSync(page, written);
    expect(text).toBe(process.env["LATHE_WRITE_DOCS"] ? text : written);
  });

  it("over RPC every command is denied without its scope, before its parameters matter, and taken with it", async () => {
    const commands = (Object.keys(COMMANDS) as CommandName[]).filter((name) => name !== "negotiate_unattended");
    for (const scope of UNATTENDED_SCOPES) {
      const rpc = await host([]);
      const others = UNATTENDED_SCOPES.filter((one) => one !== scope);
      expect(await negotiate(rpc, declare({ scopes: others }))).toMatchObject({ success: true });
      for (const command of commands.filter((name) => COMMANDS[name].scope === scope))
        expect(await rpc.ask(command)).toMatchObject({
          success: false,
          error: { code: "scope_denied", command, scope, message: expect.stringContaining(scope) },
        });
      if (scope !== "message:read") expect(await rpc.ask("get_state")).toMatchObject({ success: true });
      expect(await rpc.finish()).toBe(0);
      expect(scene.server.requests).toEqual([]);
      await scene.close();
    }
    scene = await stage([]);
  });

  it("scopes [prompt]: bash is denied with command and scope; a second declaration is refused; all of it is in the audit", async () => {
    const rpc = await host([turn.text("ok")]);
    expect(await negotiate(rpc, declare({ scopes: ["prompt"] }))).toMatchObject({
      success: true,
      data: { accepted: true },
    });
    expect(await rpc.ask("bash", { command: "echo no" })).toMatchObject({
      success: false,
      error: { code: "scope_denied", command: "bash", scope: "bash" },
    });
    expect(await negotiate(rpc, declare())).toMatchObject({ success: false });
    await rpc.prompt("go");
    expect(await rpc.finish()).toBe(0);
    const audit = await auditOf();
    expect(audit.map(({ decision, callId }) => `${decision} ${callId}`)).toEqual([
      "allow unattended:negotiate_unattended",
      "deny unattended:bash",
      "deny unattended:negotiate_unattended",
      "allow unattended:prompt",
    ]);
  });

  it("the allowlist only narrows: what it does not name is denied in mode full, what the mode denies stays denied", async () => {
    const script: Script = (request) => {
      const commands = ["ls", "echo hi", "touch made.txt"];
      const command = commands[request.index % 4];
      return command === undefined ? turn.text("done") : shell(command);
    };
    const results = () =>
      scene.server.requests
        .at(-1)!
        .view.messages.flatMap(({ results = [] }) => results.map(({ text }) => /^Denied/.test(text)));
    const wide = await host(script, "--permission-mode", "full");
    expect(await negotiate(wide, declare())).toMatchObject({ success: true });
    await wide.prompt("go");
    expect(results()).toEqual([false, false, true]);
    expect(await wide.finish()).toBe(0);
    await scene.close();
    const narrow = await host(script, "--permission-mode", "full");
    expect(await negotiate(narrow, declare({ action_allowlist: [] }))).toMatchObject({ success: true });
    await narrow.prompt("go");
    expect(results()).toEqual([true, true, true]);
    expect(await narrow.finish()).toBe(0);
    await scene.close();
    const deny = await host(script, "--permission-mode", "read-only");
    expect(
      await negotiate(deny, declare({ action_allowlist: ["bash.readonly", "shell(*)", "file.write"] })),
    ).toMatchObject({
      success: true,
    });
    await deny.prompt("go");
    expect(results().at(-1)).toBe(true);
    expect(await deny.finish()).toBe(0);
  });

  const over: [string, object, string][] = [
    ["calls", { max_tool_calls: 2 }, "calls"],
    ["tokens", { max_tokens: 60_000 }, "tokens"],
    ["dollars", { max_cost_usd: 0.25 }, "usd"],
    ["time", { max_wall_time_ms: 1500 }, "wall_time"],
  ];
  it.each(over)(
    "an overrun of %s is a typed stop, also in a new session; the session file stays valid",
    async (_name, budget, dimension) => {
      const rpc = await host(
        ({ index }) => shell(dimension === "wall_time" ? "sleep 30" : `echo ${index}`),
        "--permission-mode",
        "full",
      );
      const declaration = declare({
        budget: { ...BUDGET, ...budget },
        action_allowlist: ["shell(*)", "bash.readonly"],
      });
      expect(await negotiate(rpc, declaration)).toMatchObject({ success: true });
      await rpc.prompt("go");
      const stops = () =>
        rpc.frames.flatMap((frame) => {
          const event = (frame as { payload?: { event?: { type?: string } } }).payload?.event;
          return event?.type === "lathe:unattended_stop" ? [event] : [];
        });
      expect(stops()).toMatchObject([{ code: "budget_exhausted", dimension }]);
      expect(await rpc.ask("get_state")).toMatchObject({ success: true });
      const sent = scene.server.requests.length;
      expect(sent).toBeGreaterThan(0);
      expect(await rpc.ask("new_session")).toMatchObject({ success: true });
      expect(await rpc.ask("prompt", { message: "more" })).toMatchObject({
        success: false,
        error: { code: "budget_exhausted", command: "prompt" },
      });
      expect(scene.server.requests).toHaveLength(sent);
      expect(await rpc.finish()).toBe(0);
      expect((await auditOf()).length).toBeGreaterThan(0);
    },
  );

  it("a time longer than a timer can be set to does not end the session at once", async () => {
    const rpc = await host([turn.text("ok")]);
    const long = declare({ budget: { ...BUDGET, max_wall_time_ms: 1e12 } });
    expect(await negotiate(rpc, long)).toMatchObject({ success: true });
    await rpc.prompt("go");
    expect(JSON.stringify(rpc.frames)).not.toContain("lathe:unattended_stop");
    expect(scene.server.requests).toHaveLength(1);
    expect(await rpc.finish()).toBe(0);
  });

  it("--unattended file.yml: a run that prints, and what is wrong with the file, before anything is sent", async () => {
    scene = await stage([shell("echo hi"), shell("touch x"), turn.text("done")]);
    const file = join(scene.box.home, "night.yml");
    mkdirSync(scene.box.home, { recursive: true });
    for (const [text, says] of [
      ["actor: me\n", /night\.yml: .*budget/],
      ["actor: [\n", /night\.yml cannot be read/],
      ["actor: me\nactor: you\n", /night\.yml cannot be read: line 2: .*unique/],
      [JSON.stringify(declare()).replace("1000000", ".nan"), /night\.yml: .*max_tokens must be a number above 0/],
      [JSON.stringify(declare()).replace("1000000", ".inf"), /night\.yml: .*max_tokens must be a number above 0/],
      ["", /night\.yml: declaration must be an object/],
      [JSON.stringify(declare({ scopes: ["bash"] })), /night\.yml: .*"prompt"/],
      [JSON.stringify(declare({ action_allowlist: ["file.eat"] })), /night\.yml: .*file\.eat/],
    ] as const) {
      writeFileSync(file, text);
      expect(await scene.run(["--unattended", file, "go"])).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(says),
      });
    }
    expect(await scene.run(["--unattended", join(scene.box.home, "none.yml"), "go"])).toMatchObject({ code: 2 });
    expect(scene.server.requests).toEqual([]);
    writeFileSync(file, JSON.stringify(declare()));
    const { code, stdout } = await scene.run([
      "--mode",
      "json",
      "--permission-mode",
      "full",
      "--unattended",
      file,
      "go",
    ]);
    expect(code).toBe(0);
    expect(jsonLines(stdout).at(-1)).toMatchObject({ text: "done" });
    expect((await auditOf()).map(({ decision, by }) => `${decision} ${by}`)).toEqual([
      "allow the unattended declaration",
      "allow mode full",
      "deny the unattended declaration",
    ]);
  });
});
