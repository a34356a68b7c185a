// Desktop control on a real X server, with xterm as the program in use: it records its input.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DesktopOrder } from "@lathe/agent/tools";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../agent/test/alive.ts";
import { X11Desktop } from "../src/additions/computer/desktop.ts";
import { toScreen } from "../src/additions/computer/steps.ts";

let dir: string;
/** Larger than the picture of it that the model gets. */
let wide: string;
/** A picture of it costs less: for what is not about pictures. */
let small: string;
const started: ChildProcess[] = [];
const signal = new AbortController().signal;

const text = (name: string): string => (existsSync(join(dir, name)) ? readFileSync(join(dir, name), "latin1") : "");

/** A terminal in the upper left corner that appends what it reads to a file; with `mouse`, also what the mouse does. */
function startXterm(file: string, display: string, mouse = false): void {
  const script = `${mouse ? "printf '\\033[?1003h\\033[?1006h'; " : ""}stty raw -echo; touch ${file}; exec cat >> ${file}`;
  const env = { ...process.env, DISPLAY: display };
  started.push(
    spawn("xterm", ["-geometry", "80x24+0+0", "-e", "sh", "-c", script], { cwd: dir, env, stdio: "ignore" }),
  );
}

function desktopHere(display: string, told: string[] = []): { desktop: X11Desktop; pids: number[]; told: string[] } {
  const pids: number[] = [];
  const desktop = new X11Desktop({
    env: { PATH: process.env["PATH"], HOME: dir, DISPLAY: display },
    cwd: dir,
    onStarted: (pid) => pids.push(pid),
    onStopped: (picture) => told.push(picture),
  });
  return { desktop, pids, told };
}

async function startScreen(size: string): Promise<string> {
  const server = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", `${size}x24`], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  started.push(server);
  const [number] = (
    await (server.stdio[3] as NodeJS.ReadableStream & AsyncIterable<Buffer>)[Symbol.asyncIterator]().next()
  ).value
    .toString()
    .split("\n");
  return `:${number}`;
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "lathe-desktop-"));
  wide = await startScreen("1600x900");
  small = await startScreen("800x450");
}, 60_000);
afterAll(() => {
  for (const child of started.reverse()) child.kill("SIGKILL");
  rmSync(dir, { recursive: true, force: true });
});

describe("G-90 computer", () => {
  it("G-90 what is typed and pressed arrives, and each action shows the screen", { timeout: 90_000 }, async () => {
    startXterm("typed", wide);
    await until(() => existsSync(join(dir, "typed")));
    const { desktop } = desktopHere(wide);
    try {
      const first = await desktop.act({ action: "screenshot" }, signal);
      expect([first.width, first.height]).toEqual([1280, 720]);
      await desktop.act({ action: "click", x: 100, y: 100 }, signal);
      await desktop.act(
        { action: "type", text: 'Grüße, $HOME & "quotes" -- and more than forty characters of it' },
        signal,
      );
      await desktop.act({ action: "keypress", keys: "Return" }, signal);
      await until(() => text("typed").endsWith("\r"));
      expect(text("typed")).toMatch(/\$HOME & "quotes" -- and more than forty characters of it\r$/);
      const again = await desktop.act({ action: "wait", ms: 10 }, signal);
      expect(Buffer.compare(Buffer.from(first.png), Buffer.from(again.png))).not.toBe(0);
    } finally {
      await desktop.close();
    }
  });

  it("G-90 the kill switch in mid-drag lets go of the button, and only the user's reset allows more", {
    timeout: 90_000,
  }, async () => {
    startXterm("mouse", small, true);
    await until(() => existsSync(join(dir, "mouse")));
    const { desktop, pids, told } = desktopHere(small);
    const drag: DesktopOrder = { action: "drag", x: 40, y: 60, to_x: 300, to_y: 200 };
    const presses = () => text("mouse").split("[<0;").length - 1;
    const releases = () => (text("mouse").match(/\[<0;\d+;\d+m/g) ?? []).length;
    try {
      await desktop.act({ action: "move", x: 50, y: 50 }, signal);
      const dragging = desktop.act(drag, signal).then(
        () => "done",
        (error: Error) => error.message,
      );
      await until(() => presses() > 0);
      process.kill(pids[0]!, "SIGUSR1");
      expect(await dragging).toContain("The user has stopped the use of the desktop");
      await until(() => releases() === 1);
      const before = text("mouse");
      await expect(desktop.act({ action: "click", x: 50, y: 50 }, signal)).rejects.toThrow(
        "Only they can allow it again",
      );
      expect(text("mouse")).toBe(before);
      await until(() => told.length === 1);
      expect(readFileSync(told[0]!).subarray(1, 4).toString()).toBe("PNG");
      await desktop.reset();
      await desktop.act({ action: "click", x: 50, y: 50 }, signal);
      await until(() => releases() === 2);
    } finally {
      await desktop.close();
      for (const picture of told) rmSync(picture, { force: true });
    }
  });

  it("G-90 an interrupted call and the end of the session leave no button held down", { timeout: 90_000 }, async () => {
    const { desktop, pids } = desktopHere(small);
    const before = () => (text("mouse").match(/\[<0;\d+;\d+m/g) ?? []).length;
    const released = before();
    const stopping = new AbortController();
    await desktop.act({ action: "move", x: 50, y: 50 }, signal);
    const pressed = text("mouse").split("[<0;").length;
    const dragging = desktop
      .act({ action: "drag", x: 40, y: 60, to_x: 300, to_y: 200 }, stopping.signal)
      .catch(() => "aborted");
    await until(() => text("mouse").split("[<0;").length > pressed);
    stopping.abort();
    expect(await dragging).toBe("aborted");
    await until(() => before() > released);
    await desktop.act({ action: "click", x: 50, y: 50 }, signal);
    await desktop.close();
    expect(() => process.kill(pids[0]!, 0)).toThrow();
    expect(execFileSync("sh", ["-c", `ps -o pid= -p ${pids[0]} || true`]).toString()).toBe("");
  });

  it.each([
    ["scale 1", [10, 20], { width: 100, height: 50 }, { width: 100, height: 50 }, [10, 20]],
    ["scale 2", [10, 20], { width: 100, height: 50 }, { width: 200, height: 100 }, [21, 41]],
    ["scale 1.5", [99, 49], { width: 100, height: 50 }, { width: 150, height: 75 }, [149, 74]],
    ["smaller screen", [99, 0], { width: 100, height: 50 }, { width: 50, height: 25 }, [49, 0]],
    ["offset", [0, 49], { width: 100, height: 50 }, { width: 100, height: 50, left: 1920, top: 30 }, [1920, 79]],
  ] as const)(
    "G-90 a pixel of the picture is a pixel of the screen: %s",
    (_name, [x, y], picture, screen, expected) => {
      expect(toScreen(x, y, { picture, screen })).toEqual(expected);
    },
  );

  it.each([Number.NaN, -1, 100, Number.POSITIVE_INFINITY, undefined])("G-90 x of %s is refused", (x) => {
    const size = { width: 100, height: 50 };
    expect(() => toScreen(x, 0, { picture: size, screen: size })).toThrow(/`x`/);
  });

  it("G-90 without a display, or for keys that are none, there is one line", async () => {
    const desktop = new X11Desktop({
      env: { PATH: process.env["PATH"] },
      cwd: dir,
      onStarted: () => {},
      onStopped: () => {},
    });
    await expect(desktop.act({ action: "screenshot" }, signal)).rejects.toThrow(
      "There is no X11 desktop here: DISPLAY is not set.",
    );
    const { desktop: real } = desktopHere(small);
    await expect(real.act({ action: "keypress", keys: "--clearmodifiers; x" }, signal)).rejects.toThrow("Give `keys`");
    await real.close();
  });
});
