import { Buffer } from "node:buffer";
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { itermPicture, kittyPicture } from "./encode.ts";
import { pictureProtocol } from "./protocol.ts";
import { sixelPicture } from "./sixel.ts";
import { cellsFor, pictureSize } from "./size.ts";

/** A PNG whose data does not matter. */
function png(width: number, height: number, data: Buffer = deflateSync(Buffer.alloc(8))): Buffer {
  const header = Buffer.alloc(33);
  header.write("\x89PNG\r\n\x1a\n", 0, "latin1");
  header.writeUInt32BE(13, 8);
  header.write("IHDR", 12);
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return Buffer.concat([header, data]);
}

describe("pictures", () => {
  it("G-119 TU-05 the protocol is the person's choice, else what the terminal is known for, else what it answers", () => {
    const sixel = [{ kind: "attributes", values: [62, 4, 22] }] as const;
    expect(pictureProtocol({ TERM: "xterm-kitty", LATHE_FORCE_IMAGE_PROTOCOL: "none" })).toBe("none");
    expect(pictureProtocol({ TMUX: "x", LATHE_FORCE_IMAGE_PROTOCOL: "iTerm" })).toBe("iterm2");
    expect(pictureProtocol({ KITTY_WINDOW_ID: "1", LATHE_FORCE_IMAGE_PROTOCOL: "bogus" }, sixel)).toBe("kitty");
    expect(pictureProtocol({ TERM_PROGRAM: "iTerm.app" })).toBe("iterm2");
    expect(pictureProtocol({ TERM_PROGRAM: "WezTerm", TMUX: "x" })).toBe("none");
    expect(pictureProtocol({ TERM: "xterm-256color" }, sixel)).toBe("sixel");
    expect(pictureProtocol({ TERM: "xterm-256color" }, [...sixel, { kind: "graphics" }])).toBe("kitty");
    expect(pictureProtocol({ TERM: "xterm-256color" }, [{ kind: "attributes", values: [4, 22] }])).toBe("none");
    expect(pictureProtocol({ TERM: "xterm-256color" })).toBe("none");
    expect(pictureProtocol({ TERM: "dumb", KITTY_WINDOW_ID: "1" }, sixel)).toBe("none");
  });

  it("G-119 TU-05 inside a multiplexer there are no pictures, unless it draws sixel and that is allowed", () => {
    const sixel = [{ kind: "attributes", values: [62, 4, 22] }] as const;
    const tmux = { TMUX: "x", TERM: "tmux-256color" };
    expect(pictureProtocol(tmux, sixel)).toBe("none");
    expect(pictureProtocol({ TERM: "screen" }, sixel)).toBe("none");
    expect(pictureProtocol({ ...tmux, LATHE_ALLOW_SIXEL_PASSTHROUGH: "1" }, sixel)).toBe("sixel");
    expect(pictureProtocol({ ...tmux, LATHE_ALLOW_SIXEL_PASSTHROUGH: "1" })).toBe("none");
  });

  it("G-119 kitty gets the whole file in chunks it accepts", () => {
    const file = png(100, 50, Buffer.alloc(9_000, 7));
    const text = kittyPicture(file, { columns: 11, rows: 3 });
    const chunks = [...text.matchAll(/\x1b_G([^;]*);([^\x1b]*)\x1b\\/g)];
    expect(chunks.map(([whole]) => whole).join("")).toBe(text);
    expect(chunks[0]?.[1]).toBe("a=T,f=100,q=2,C=1,c=11,r=3,m=1");
    expect(chunks.slice(1).map(([, control]) => control)).toEqual(["m=1", "m=0"]);
    expect(chunks.every(([, , data]) => (data ?? "").length <= 4_096)).toBe(true);
    expect(Buffer.from(chunks.map(([, , data]) => data).join(""), "base64")).toEqual(file);
  });

  it("G-119 iTerm2 gets the file and the cells it may take", () => {
    const file = Buffer.from("picture");
    expect(itermPicture(file, { columns: 4, rows: 2 })).toBe(
      `\x1b]1337;File=inline=1;size=7;width=4;height=2;preserveAspectRatio=1:${file.toString("base64")}\x07`,
    );
  });

  it("G-119 sixel draws every opaque pixel once, in its colour", () => {
    const red = [255, 0, 0, 255];
    const blue = [0, 0, 255, 255];
    const clear = [9, 9, 9, 0];
    const rgba = Uint8Array.from([...red, ...red, ...red, ...red, ...blue, ...clear, ...clear, ...red]);
    expect(sixelPicture({ width: 4, height: 2, rgba })).toBe(
      '\x1bP0;1q"1;1;4;2#180;2;100;0;0#5;2;0;0;100#180@@@B$#5A\x1b\\',
    );
  });

  it("the size of pictures is read from their bytes, and a cut file has none", () => {
    expect(pictureSize(png(640, 480))).toEqual({ type: "png", width: 640, height: 480 });
    const gif = Buffer.from([0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 10, 0, 20, 0]);
    expect(pictureSize(gif)).toEqual({ type: "gif", width: 10, height: 20 });
    const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc2, 0, 11, 8, 0, 30, 0, 40, 3, 1, 1]);
    expect(pictureSize(jpeg)).toEqual({ type: "jpeg", width: 40, height: 30 });
    expect(pictureSize(jpeg.subarray(0, 12))).toBeUndefined();
    const webp = Buffer.concat([
      Buffer.from("RIFF....WEBPVP8X"),
      Buffer.from([10, 0, 0, 0, 0, 0, 0, 0, 99, 0, 0, 49, 0, 0]),
    ]);
    expect(pictureSize(webp)).toEqual({ type: "webp", width: 100, height: 50 });
    expect([pictureSize(Buffer.from("text")), pictureSize(Buffer.alloc(0))]).toEqual([undefined, undefined]);
  });

  it("a picture keeps its proportions and stays within its place", () => {
    expect(cellsFor({ width: 90, height: 90 }, { columns: 80, rows: 20 })).toEqual({ columns: 10, rows: 5 });
    expect(cellsFor({ width: 9_000, height: 900 }, { columns: 50, rows: 20 })).toEqual({ columns: 50, rows: 3 });
    expect(cellsFor({ width: 1, height: 9_000 }, { columns: 50, rows: 20 })).toEqual({ columns: 1, rows: 20 });
  });
});
