// Pictures in the composer: from the clipboard, and as files that are dropped on the terminal.

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
    expect(bench.said(0)).toContain("what is [picture #1]?");
    expect(picturesOf(0)).toBe(1);
  });

  it("a mark that was deleted takes its picture with it", async () => {
    bench.server.push(turn.text("fine"));
    const run = await bench.open(SONNET, { env: await clipboard(await picture("shot.png")) });
    run.type(KEY.ctrl("v"));
    await run.see("[picture #1]");
    run.type(`${KEY.backspace}only words${KEY.enter}`);
    await run.see("fine");
    expect(bench.said(0)).toMatch(/only words$/);
    expect(bench.said(0)).not.toContain("[picture");
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
