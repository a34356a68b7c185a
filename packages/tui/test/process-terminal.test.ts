// The program of the tests in a pseudoterminal: what is left of it there, whichever way it ends.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type IPty, spawn } from "@lydell/node-pty";
import { afterEach, describe, expect, it } from "vitest";
import { Emulator } from "./emulator.ts";
import { PROGRAM } from "./tmux.ts";

let pty: IPty | undefined;
afterEach(() => pty?.kill("SIGKILL"));

interface Session {
  readonly emulator: Emulator;
  bytes: string;
  press(keys: string): void;
  see(wanted: RegExp): Promise<void>;
  readonly ended: Promise<{ exitCode: number; signal?: number | undefined }>;
  readonly pty: IPty;
}

function start(env: Record<string, string> = {}): Session {
  const emulator = new Emulator(60, 20);
  const { TMUX: _tmux, ...own } = process.env;
  const child = spawn(process.execPath, PROGRAM, {
    name: "xterm-256color",
    cols: 60,
    rows: 20,
    env: { ...own, TERM_PROGRAM: "vscode", ...env },
  });
  pty = child;
  const waiting: (() => void)[] = [];
  const session: Session = {
    emulator,
    bytes: "",
    pty: child,
    press: (keys) => child.write(keys),
    see: async (wanted) => {
      while (!wanted.test(emulator.lines().join("\n"))) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    ended: new Promise((resolve) => child.onExit(resolve)),
  };
  child.onData((data) => {
    session.bytes += data;
    emulator.write(data);
    for (const resolve of waiting.splice(0)) resolve();
  });
  return session;
}

/** Modes that are on at the end, from the bytes alone. */
function modesLeftOn(bytes: string): string[] {
  const on = new Set<string>();
  for (const [, mode, state] of bytes.matchAll(/\x1b\[\?(\d+)([hl])/g)) {
    if (state === "h") on.add(mode as string);
    else on.delete(mode as string);
  }
  const pushed = (bytes.match(/\x1b\[>1u/g) ?? []).length - (bytes.match(/\x1b\[<u/g) ?? []).length;
  // The cursor and wrapping are on at a terminal nobody has touched.
  for (const mode of ["25", "7"]) on.delete(mode);
  return pushed === 0 ? [...on] : [...on, "keyboard"];
}

describe("terminal of the process", () => {
  it("G-119 keys typed, pasted and reported arrive; the keyboard protocol can be turned off", async () => {
    for (const off of [false, true]) {
      const session = start(off ? { LATHE_TUI_KEYBOARD_PROTOCOL: "0" } : {});
      await session.see(/~below/);
      session.press("hello");
      await session.see(/~> hello/);
      session.press("\x1b[200~ pasted\x1b[201~");
      await session.see(/~> hello pasted/);
      session.press("\r");
      await session.see(/^hello pasted\n~card/);
      expect(session.bytes.includes("\x1b[>1u")).toBe(!off);
      session.press("\x03");
      expect(await session.ended).toMatchObject({ exitCode: 0 });
      expect(modesLeftOn(session.bytes)).toEqual([]);
      expect(session.emulator.lines()).toEqual(["hello pasted", "~left"]);
    }
  });

  it("G-119 TU-05 LATHE_TUI_WRITE_LOG names a file that gets every byte the terminal gets", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lathe-write-log-"));
    try {
      const file = join(folder, "bytes");
      const session = start({ LATHE_TUI_WRITE_LOG: file });
      await session.see(/~below/);
      session.press("hello");
      await session.see(/~> hello/);
      session.press("\x03");
      await session.ended;
      expect(readFileSync(file, "utf8").replaceAll("\r", "")).toBe(session.bytes.replaceAll("\r", ""));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("a terminal without kitty's keyboard is asked for modified keys, and is given back without", async () => {
    const session = start();
    await session.see(/~below/);
    session.press("\x1b[?62;22c");
    session.press("x");
    await session.see(/~> x/);
    expect(session.bytes).toContain("\x1b[>4;1m");
    session.press("\x03");
    await session.ended;
    expect(session.bytes.lastIndexOf("\x1b[>4;0m")).toBeGreaterThan(session.bytes.lastIndexOf("\x1b[>4;1m"));
  });

  it("an error that nobody catches is printed on a terminal that works again, without the live region", async () => {
    const session = start();
    await session.see(/~below/);
    session.press("\x05");
    const { exitCode } = await session.ended;
    expect(exitCode).not.toBe(0);
    expect(modesLeftOn(session.bytes)).toEqual([]);
    const text = session.emulator.lines().join("\n");
    expect(text).toContain("failed on purpose");
    expect(text).not.toContain("~status");
  });

  it.each(["SIGTERM", "SIGHUP"])(
    "%s ends the program, also in a viewer, and the terminal is as it was",
    async (signal) => {
      const session = start();
      await session.see(/~below/);
      session.press("\x16");
      await session.see(/number 0/);
      session.pty.kill(signal);
      expect((await session.ended).signal).toBe(signal === "SIGTERM" ? 15 : 1);
      expect(modesLeftOn(session.bytes)).toEqual([]);
      expect(session.emulator.isAlternate).toBe(false);
    },
  );
});
