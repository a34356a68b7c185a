// `lathe --tmux` with real tmux on the test's own servers.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DoorClient } from "../src/doors/door/door.ts";
import { joinLocally, localSessions } from "../src/doors/local/local-door.ts";
import { closeManaged, listManaged } from "../src/doors/tmux/managed-sessions.ts";
import { pasteText } from "../src/doors/tmux/paste.ts";
import { startSession } from "../src/doors/tmux/start-session.ts";
import { Tmux } from "../src/doors/tmux/tmux.ts";
import { CLI } from "./command.ts";
import { type Stage, stage } from "./contract-kit.ts";
import { hasTmux, TmuxServer } from "./tmux-kit.ts";

const client: DoorClient = { name: "test", kind: "program", scopes: new Set(["read", "prompt", "approve", "admin"]) };

describe.skipIf(!hasTmux)("lathe --tmux (needs tmux)", () => {
  let scene: Stage;
  let tmux: TmuxServer;
  let env: Record<string, string>;
  beforeEach(async () => {
    // Titles are asked for as well.
    scene = await stage(() => turn.text("Said in a pane."));
    tmux = new TmuxServer();
    env = { LATHE_TMUX_SOCKET: tmux.socket };
  });
  afterEach(async () => {
    tmux.close();
    await scene.close();
  });
  const doors = (): string => `${scene.box.home}/.lathe/doors`;
  const start = (name: string, more: Record<string, string> = {}) =>
    scene.run(["--tmux"], { env: { ...env, LATHE_TMUX_SESSION: name, ...more } });

  it("G-21 options and tags are those of its own session; it is driven through its door; a closed pane ends it", async () => {
    const before = tmux.foreign;
    const { code, stdout, stderr } = await start("mine");
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `To attach: tmux -L ${tmux.socket} attach -t mine\n`,
    });
    const [name, id = ""] = stdout.trim().split(" ");
    expect(name).toBe("mine");
    expect(tmux.foreign).toBe(before);
    expect([tmux.option("mouse", "-t", "mine"), tmux.option("mouse", "-g")]).toEqual(["on", "off"]);
    expect(tmux.option("mode-style", "-w", "-t", "mine")).toBe("bg=yellow,fg=black");
    expect(tmux.option("@lathe-project", "-t", "mine")).toBe(scene.box.dir);

    const listed = await scene.box.run(["sessions", "list", "--tmux"], { env });
    expect(listed.stdout).toMatch(new RegExp(`^mine +${id.slice(0, 8)} +.*detached +terminal +~?\\S*project\n$`));
    // The key came with the arguments: the server of tmux was started without it.
    const door = await joinLocally(doors(), id, client);
    await door?.command(client, "prompt", { message: "hello" });
    await expect.poll(() => tmux.screen("mine")).toContain("Said in a pane.");
    await door?.close();

    tmux.ask("kill-pane", "-t", "mine");
    await expect.poll(() => localSessions(doors(), client)).toEqual([]);
    expect((await scene.box.run(["sessions", "show", id])).stdout).toContain("Said in a pane.");
    expect(tmux.sessions()).toEqual(["foreign"]);
    expect(tmux.foreign).toBe(before);
  });

  it("G-21 without the profile only the tags are set; the mouse can be left out by itself; a tag for all sessions makes none ours", async () => {
    tmux.ask("set-option", "-g", "@lathe-owner", "terminal@$9");
    await Promise.all([start("bare", { LATHE_TMUX_PROFILE: "off" }), start("still", { LATHE_MOUSE: "false" })]);
    const own = (name: string) =>
      tmux
        .ask("show-options", "-t", name)
        .split("\n")
        .map((line) => line.split(" ")[0]);
    const tags = ["@lathe-branch", "@lathe-owner", "@lathe-profile", "@lathe-project"];
    expect(own("bare")).toEqual(tags);
    expect(tmux.ask("show-options", "-w", "-t", "bare")).not.toContain("mode-style");
    expect(own("still")).toEqual(tags);
    expect(tmux.option("mode-style", "-w", "-t", "still")).toContain("yellow");
    const server = new Tmux({ ...process.env, TMUX: "" }, tmux.socket);
    expect((await listManaged(server)).map(({ name }) => name).sort()).toEqual(["bare", "still"]);
    expect(await closeManaged(server, "foreign")).toBe(false);
    expect(await closeManaged(server, "bare")).toBe(true);
    expect(tmux.sessions().sort()).toEqual(["foreign", "still"]);
  });

  it("G-21 at a terminal the session is looked at; its last words and its exit code come back; inside of tmux the client goes there and back", async () => {
    const terminal = new TmuxServer();
    try {
      const variables = { ...scene.box.env, ...scene.env, ...env, TERM: "screen", LATHE_TMUX_SESSION: "mine" };
      const words = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
      const command = (...args: string[]) => ["env", ...args, ...words, process.execPath, CLI, ...scene.args].join(" ");
      const type = (server: TmuxServer, text: string): void => {
        server.ask("send-keys", "-t", "foreign", "-l", `cd ${scene.box.dir}; ${text}`);
        server.ask("send-keys", "-t", "foreign", "Enter");
      };
      type(terminal, `${command("-u", "TMUX")} --tmux hello; echo left-$?`);
      await expect.poll(() => terminal.screen("foreign")).toMatch(/Said in a pane\.[\s\S]*Ask for a change/);
      terminal.ask("send-keys", "-t", "foreign", "/quit", "Enter");
      await expect.poll(() => terminal.screen("foreign")).toMatch(/To continue: lathe --resume \w{8}\nleft-0/);
      expect(tmux.sessions()).toEqual(["foreign"]);

      // The terminal looks at the foreign session, in which the command is typed.
      terminal.ask("send-keys", "-t", "foreign", "-l", `env -u TMUX tmux -L ${tmux.socket} attach -t foreign`);
      terminal.ask("send-keys", "-t", "foreign", "Enter");
      await expect.poll(() => tmux.ask("list-clients", "-F", "#{session_name}")).toBe("foreign");
      const before = tmux.foreign;
      type(tmux, `${command("-u", "LATHE_TMUX_SOCKET")} --tmux`.replace(` LATHE_TMUX_SOCKET='${tmux.socket}'`, ""));
      await expect.poll(() => tmux.ask("list-clients", "-F", "#{session_name}")).toBe("mine");
      await expect.poll(() => tmux.screen("mine")).toContain("Ask for a change");
      expect(tmux.foreign).toBe(before);
      tmux.ask("send-keys", "-t", "mine", "/quit", "Enter");
      await expect.poll(() => tmux.ask("list-clients", "-F", "#{session_name}")).toBe("foreign");
    } finally {
      terminal.close();
    }
  });

  it("G-21 bad input is one line with the next step, and starts nothing", async () => {
    tmux.ask("new-session", "-d", "-s", "taken", "cat");
    const lines: (readonly [readonly string[], Record<string, string>, string])[] = [
      [["--tmux", "-p", "x"], {}, "--tmux is for sessions at a terminal. Leave out --print, or --tmux."],
      [["--tmux", "--mode", "rpc"], {}, "--tmux is for sessions at a terminal. Leave out --mode, or --tmux."],
      [
        ["--tmux"],
        { LATHE_TMUX_SESSION: "../x" },
        'LATHE_TMUX_SESSION is a name of letters, digits, "-" and "_", 64 at most. Not "../x".',
      ],
      [
        ["--tmux"],
        { LATHE_TMUX_SESSION: "taken" },
        `There is a session taken in tmux already. To go there: tmux -L ${tmux.socket} attach -t taken`,
      ],
      [
        ["--tmux"],
        { LATHE_TMUX_COMMAND: "no-tmux" },
        'There is no program "no-tmux". Install tmux, or name it in LATHE_TMUX_COMMAND.',
      ],
      [["--tmux"], { LATHE_LAUNCH_POLICY: "maybe" }, 'LATHE_LAUNCH_POLICY is tmux or direct, not "maybe".'],
      // Its own words, from the pane.
      [
        ["--tmux", "--worktree", "a/b"],
        {},
        '--worktree takes the name of a branch: letters, digits, "-" and "_". Not "a/b".',
      ],
    ];
    for (const [args, more, said] of lines) {
      const { code, stderr } = await scene.run(args, { env: { ...env, ...more } });
      expect({ code, stderr }).toEqual({ code: 2, stderr: `lathe: ${said}\n` });
    }
    await expect.poll(() => tmux.sessions().sort()).toEqual(["foreign", "taken"]);
  });

  it("G-21 G-23 a tmux that does not answer when a pane is looked at has not lost it: the session in it opens", async () => {
    const place = (name: string): string => join(scene.box.home, name);
    // The first look gets no answer; the session begins with the second one.
    const program = place("slow-tmux");
    const look = `if [ -e looked ]; then : > again; else : > looked; exec sleep 60; fi`;
    const lines = [
      "#!/bin/sh",
      `case "$*" in *display-message*) cd '${scene.box.home}'; ${look};; esac`,
      'exec tmux "$@"',
    ];
    writeFileSync(program, `${lines.join("\n")}\n`, { mode: 0o755 });
    const waits = `while [ ! -e '${place("again")}' ]; do sleep 0.05; done; exec "$@"`;
    const own = { ...scene.box.env, ...scene.env, ...env };
    const server = new Tmux({ ...process.env, TMUX: "", LATHE_TMUX_COMMAND: program }, tmux.socket);
    const started = await startSession(
      { tmux: server, pid: process.pid, doors: doors() },
      {
        ...{ name: "slow", cwd: scene.box.dir, env: own, args: scene.args, endsWithStarter: false },
        tags: { owner: "terminal", project: scene.box.dir },
        command: ["sh", "-c", waits, "sh", process.execPath, CLI],
      },
    );
    expect(await started.opened(60_000)).toMatch(/^[\w-]+$/);
    await started.close();
  });

  it("G-21 text is pasted into a pane as text: what it holds of keys and ends of brackets is left out", async () => {
    tmux.ask("new-session", "-d", "-s", "pane", "stty raw -echo; printf '\\033[?2004hready '; cat -v");
    const server = new Tmux({ ...process.env, TMUX: "" }, tmux.socket);
    const [pane = ""] = tmux.ask("list-panes", "-t", "pane", "-F", "#{pane_id}").split("\n");
    // tmux sends brackets to a program that has asked for them.
    await expect.poll(() => tmux.screen("pane")).toContain("ready");
    await pasteText(server, pane, "one\ntwo\x1b[201~\x03three;", { name: "t", isSent: true });
    await expect.poll(() => tmux.screen("pane")).toMatch(/\^\[\[200~one\s+two\[201~three;\^\[\[201~\^M/);
    expect(tmux.ask("list-buffers")).toBe("");
    await expect(pasteText(server, "foreign", "x", { name: "t", isSent: false })).rejects.toThrow("is not a tmux pane");
  });
});
