import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MODEL, type RpcHost, type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
beforeEach(async () => {
  rig = await setup();
});
afterEach(() => rig.remove());

const fileOf = async (host: RpcHost): Promise<string> =>
  (await host.data<{ sessionFile: string }>("get_state")).sessionFile;

const WRITES = { name: "shell", args: { command: "echo ran > ran.txt" } };

describe("a session file that goes away while the session is open", () => {
  it.each([
    ["is deleted", (path: string) => rmSync(path), "was deleted"],
    ["loses its folder", (path: string) => rmSync(dirname(path), { recursive: true }), "was deleted"],
    ["is emptied", (path: string) => writeFileSync(path, ""), "was changed by another program"],
    ["is moved", (path: string) => renameSync(path, `${path}.old`), "was moved or renamed"],
  ])("G-28 RPC: once the file %s, a prompt is refused and nothing runs", async (_name, change, reason) => {
    rig.server.push(turn.text("one"), turn.calls([WRITES]), turn.text("two"));
    const host = await rig.start("--permission-mode", "full");
    await host.prompt("first");
    const path = await fileOf(host);
    change(path);
    const reply = await host.ask("prompt", { message: "second" });
    expect(reply["success"]).toBe(false);
    expect(JSON.stringify(reply["error"])).toContain(reason);
    expect(JSON.stringify(reply["error"])).toContain(path);
    const again = await host.ask("prompt", { message: "third" });
    expect(again["success"]).toBe(false);
    await host.finish();
    expect(rig.server.requests).toHaveLength(1);
    expect(existsSync(join(rig.box.dir, "ran.txt"))).toBe(false);
    if (existsSync(path)) expect(readFileSync(path, "utf8")).toBe("");
  });

  it("G-28 print: the work ends at the next line with exit code 70, names the file, and runs nothing more", async () => {
    const path = join(rig.box.dir, "talk.jsonl");
    rig.server.push(
      turn.calls([{ name: "shell", args: { command: `rm '${path}'` } }]),
      turn.calls([WRITES]),
      turn.text("done"),
    );
    const { code, stderr, stdout } = await rig.box.run(
      [...MODEL, "--permission-mode", "full", "--session", path, "-p", "go"],
      { env: rig.env },
    );
    expect({ code, stdout }).toEqual({ code: 70, stdout: "" });
    expect(stderr).toContain("was deleted while the session was open");
    expect(stderr).toContain(path);
    expect(existsSync(join(rig.box.dir, "ran.txt"))).toBe(false);
  });
});
