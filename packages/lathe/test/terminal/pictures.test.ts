// Pictures in the composer: from the clipboard, and as files dropped on the terminal.

import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SONNET, TerminalBench } from "./bench.ts";
import { KEY } from "./emulator.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

let bench: TerminalBench;
beforeEach(async () => {
  bench = await TerminalBench.open();
});
afterEach(() => bench.close());

/** A desktop whose clipboard holds this file, or text only. */
async function clipboard(file?: string): Promise<Record<string, string>> {
  const bin = join(bench.box.dir, "bin");
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, "xclip"), `#!/bin/sh\n${file === undefined ? "exit 1" : `cat '${file}'`}\n`);
  await chmod(join(bin, "xclip"), 0o755);
  return { DISPLAY: ":0", PATH: `${bin}:${process.env["PATH"]}` };
}

const picture = async (name: string): Promise<string> => {
  const file = join(bench.box.dir, name);
  await writeFile(file, PNG);
  return file;
};

/** The pictures of the last message of a request. */
function picturesOf(index: number): number {
  return JSON.stringify(bench.server.requests[index]?.body).split(PNG.toString("base64")).length - 1;
}

describe("pictures", () => {
  it("Ctrl+V puts the clipboard's picture into the message as one mark, and it is sent with it", async () => {
    bench.server.push(turn.text("a dot"));
    const run = await bench.open(SONNET, { env: await clipboard(await picture("shot.png")) });
    run.type("what is ");
    run.type(KEY.ctrl("v"));
    await run.see("what is [picture #1]");
    run.type(`?${KEY.enter}`);
    await run.see("a dot");
    expect(bench.lastMessageText(0)).toContain("what is [picture #1]?");
    expect(picturesOf(0)).toBe(1);
  });

  it("a mark that was deleted takes its picture with it", async () => {
    bench.server.push(turn.text("fine"));
    const run = await bench.open(SONNET, { env: await clipboard(await picture("shot.png")) });
    run.type(KEY.ctrl("v"));
    await run.see("[picture #1]");
    run.type(`${KEY.backspace}only words${KEY.enter}`);
    await run.see("fine");
    expect(bench.lastMessageText(0)).toMatch(/only words$/);
    expect(bench.lastMessageText(0)).not.toContain("[picture");
    expect(picturesOf(0)).toBe(0);
  });

  it("a clipboard without a picture, without a program and without a desktop is one line each", async () => {
    const none = await bench.open(SONNET, { env: await clipboard() });
    none.type(KEY.ctrl("v"));
    await none.see("There is no picture on the clipboard.");
    const bare = await bench.open(SONNET, { env: { WAYLAND_DISPLAY: "wayland-0", PATH: "/bin:/usr/bin" } });
    bare.type(KEY.ctrl("v"));
    await bare.see("To paste pictures, install wl-paste (wl-clipboard).");
    const remote = await bench.open(SONNET);
    remote.type(KEY.ctrl("v"));
    await remote.see("There is no clipboard to read here.");
  });

  it("dropped files that are pictures become marks, quoted or escaped; other paths stay text", async () => {
    bench.server.push(turn.text("two dots"));
    const one = await picture("first one.png");
    const two = await picture("second.png");
    const run = await bench.open(SONNET, { columns: 100 });
    run.paste(`${one.replaceAll(" ", "\\ ")} '${two}'`);
    await run.see("[picture #1][picture #2]");
    const text = join(bench.box.dir, "notes.txt");
    await writeFile(text, "words");
    run.paste(text);
    await run.see("notes.txt");
    run.type(KEY.enter);
    await run.see("two dots");
    expect(picturesOf(0)).toBe(2);
  });
});

/** 40 by 60 pixels, which are 4 by 3 cells. */
const SHOT = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAACgAAAA8CAIAAACb22+3AAAANklEQVR42u3NQQkAAAgEsAt2/TGWMUQY7L9MeyJisVgsFovFYrFYLBaLxWKxWCwWi8VisfhTvApCuKanEgklAAAAAElFTkSuQmCC",
  "base64",
);
const KITTY = `\x1b_Ga=T,f=100,q=2,C=1,c=4,r=3,m=0;${SHOT.toString("base64")}\x1b\\`;

describe("pictures are drawn", () => {
  const shot = async (name: string): Promise<string> => {
    const file = join(bench.box.dir, name);
    await writeFile(file, SHOT);
    return file;
  };

  it("G-119 TU-05 below the message that they were sent with, once, in rows of their own", async () => {
    bench.server.push(turn.text("a plain picture"), turn.text("more"));
    await shot("shot.png");
    const run = await bench.open(SONNET, { env: { LATHE_FORCE_IMAGE_PROTOCOL: "kitty" }, rows: 40 });
    run.type(`what is @shot.png?${KEY.enter}`);
    const rows = await run.see("a plain picture");
    const at = rows.findIndex((text) => text.includes("[picture 40x60 png, 111 bytes]"));
    expect(rows[at - 1]).toContain("what is @shot.png?");
    expect(rows.slice(at + 1, at + 6)).toEqual(["", "", "", "", "a plain picture"]);
    expect(run.raw.split(KITTY)).toHaveLength(2);
    run.type(`again${KEY.enter}`);
    await run.see("more");
    run.resize(60, 30);
    run.type("typed");
    await run.see("typed");
    expect(run.raw.split(KITTY)).toHaveLength(2);
  });

  it("G-119 below the call that found them, also among other looks, and again when the session is resumed", async () => {
    await shot("one.png");
    await writeFile(join(bench.box.dir, "notes.txt"), "words\n");
    bench.server.push(
      turn.calls([
        { name: "read_file", args: { file_path: "notes.txt" } },
        { name: "read_file", args: { file_path: "one.png" } },
        { name: "read_file", args: { file_path: "notes.txt" } },
      ]),
      turn.text("all seen"),
    );
    const env = { LATHE_FORCE_IMAGE_PROTOCOL: "kitty" };
    const run = await bench.open([...SONNET, "--permission-mode", "full"], { env, rows: 40 });
    run.type(`look${KEY.enter}`);
    const rows = await run.see(/all seen[\s\S]* out · \$/);
    const at = rows.findIndex((text) => text.includes("[picture 40x60 png"));
    expect(rows[at - 1]).toMatch(/one\.png/);
    expect(rows.slice(at + 1, at + 5)).toEqual(["", "", "", ""]);
    expect(rows[at + 5]).toMatch(/notes\.txt/);
    expect(run.raw.split(KITTY)).toHaveLength(2);
    run.type(KEY.ctrl("d"));
    await run.exited;
    const resumed = bench.start(["--continue"], { env, rows: 40 });
    await resumed.see(/\[picture 40x60 png[\s\S]*all seen/);
    expect(resumed.raw.split(KITTY)).toHaveLength(2);
  });

  it("G-119 TU-05 or the row says that the terminal does not take the format", async () => {
    const GIF = Buffer.from("R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==", "base64");
    await writeFile(join(bench.box.dir, "dot.gif"), GIF);
    const shown = async (protocol: string): Promise<string> => {
      bench.server.push(turn.text("a dot"));
      const run = await bench.open(SONNET, { env: { LATHE_FORCE_IMAGE_PROTOCOL: protocol }, columns: 120 });
      run.type(`what is @dot.gif?${KEY.enter}`);
      const rows = await run.see("a dot");
      await run.close();
      return rows.find((row) => row.includes("[picture"))?.trim() ?? "";
    };
    const refused = "[picture 1x1 gif, 43 bytes; not drawn: this terminal takes PNG, not GIF]";
    expect([await shown("kitty"), await shown("sixel")]).toEqual([refused, refused]);
    expect([await shown("iterm2"), await shown("none")]).toEqual(Array(2).fill("[picture 1x1 gif, 43 bytes]"));
  });

  it("G-119 TU-05 only where the terminal can: it says so, it is not a multiplexer, and the person wants it", async () => {
    const name = await shot("shot.png");
    const run = async (env: Record<string, string>, answer = ""): Promise<string> => {
      bench.server.push(turn.text("a plain picture"));
      const one = await bench.open(SONNET, { env });
      if (answer !== "") one.type(answer);
      one.paste(name);
      await one.see("[picture #1]");
      one.type(KEY.enter);
      await one.see(/\[picture 40x60 png, 111 bytes\][\s\S]*a plain picture/);
      await one.close();
      return one.raw;
    };
    const drawn = /\x1b_Ga=T|\x1b\]1337;File=|\x1bP0;1q/;
    expect(await run({})).not.toMatch(drawn);
    expect(await run({}, "\x1b_Gi=31;OK\x1b\\")).toContain(KITTY);
    expect(await run({}, "\x1b[6;20;10t\x1b[?62;4;22c")).toMatch(/\x1bP0;1q"1;1;40;60/);
    expect(await run({ TERM_PROGRAM: "iTerm.app" })).toMatch(/\x1b\]1337;File=inline=1;size=111;width=4;height=3/);
    const inTmux = await run({ TMUX: "x", TERM: "tmux-256color", KITTY_WINDOW_ID: "1" });
    expect(inTmux).not.toMatch(drawn);
    expect(inTmux).not.toContain("\x1b_G");
    await bench.box.run(["config", "set", "terminal.showImages", "false"]);
    expect(await run({ LATHE_FORCE_IMAGE_PROTOCOL: "kitty" })).not.toMatch(drawn);
  });
});
