import { Buffer } from "node:buffer";
import { crc32, deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { drawPicture } from "./draw.ts";
import { decodePng, encodePng } from "./png.ts";
import type { Pixels } from "./sixel.ts";
import { pictureSize } from "./size.ts";

const CELL = { width: 10, height: 20 };
const MOST = { columns: 80, rows: 20 };

function pixels(width: number, height: number, value: (x: number, y: number) => readonly number[]): Pixels {
  const rgba = Uint8Array.from(
    Array.from({ length: width * height }, (_, at) => value(at % width, Math.floor(at / width))).flat(),
  );
  return { width, height, rgba };
}

/** Values that every PNG filter changes. */
const noisy = (width: number, height: number): Pixels =>
  pixels(width, height, (x, y) => [
    (x * 37 + y * 11) % 256,
    (x * y * 7) % 256,
    (x * x + 3 * y) % 256,
    255 - ((x + y) % 200),
  ]);

/** A PNG file whose rows use the five filters in turn. `rows` has the packed values of each row. */
function png(
  kind: { width: number; depth: number; type: number; step: number },
  rows: number[][],
  extra: Buffer[] = [],
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(kind.width, 0);
  header.writeUInt32BE(rows.length, 4);
  header.set([kind.depth, kind.type, 0, 0, 0], 8);
  const raw = rows.map((row, y) => {
    const filter = y % 5;
    const up = rows[y - 1] ?? row.map(() => 0);
    const written = row.map((value, x) => {
      const left = row[x - kind.step] ?? 0;
      const corner = x < kind.step ? 0 : (up[x - kind.step] ?? 0);
      const above = up[x] ?? 0;
      const guess = left + above - corner;
      const byDistance = [left, above, corner].sort((a, b) => Math.abs(guess - a) - Math.abs(guess - b));
      return (value - ([0, left, above, Math.floor((left + above) / 2), byDistance[0] ?? 0][filter] ?? 0)) & 255;
    });
    return Buffer.from([filter, ...written]);
  });
  const data = deflateSync(Buffer.concat(raw));
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    ...extra,
    chunk("IDAT", data.subarray(0, 9)),
    chunk("IDAT", data.subarray(9)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(name: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), body]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

const rowsOf = ({ width, rgba }: Pixels, pick: (pixel: number[]) => number[]): number[][] => {
  const all = Array.from({ length: rgba.length / 4 }, (_, at) => pick([...rgba.subarray(at * 4, at * 4 + 4)]));
  return Array.from({ length: all.length / width }, (_, y) => all.slice(y * width, (y + 1) * width).flat());
};

describe("PNG files", () => {
  const picture = noisy(13, 11);

  it("G-119 colours come out as they went in, whatever filters a file uses", () => {
    const rgba = png(
      { width: 13, depth: 8, type: 6, step: 4 },
      rowsOf(picture, (pixel) => pixel),
    );
    expect(decodePng(rgba)).toEqual(picture);
    const deep = png(
      { width: 13, depth: 16, type: 6, step: 8 },
      rowsOf(picture, (pixel) => pixel.flatMap((value) => [value, 9])),
    );
    expect(decodePng(deep)).toEqual(picture);
    const opaque = { ...picture, rgba: picture.rgba.map((value, at) => (at % 4 === 3 ? 255 : value)) };
    const rgb = png(
      { width: 13, depth: 8, type: 2, step: 3 },
      rowsOf(picture, (pixel) => pixel.slice(0, 3)),
    );
    expect(decodePng(rgb)).toEqual(opaque);
    expect(decodePng(encodePng(picture))).toEqual(picture);
  });

  it("G-119 palettes of two colours, greys and clear colours are read", () => {
    const palette = chunk("PLTE", Buffer.from([1, 2, 3, 200, 100, 50]));
    const clear = chunk("tRNS", Buffer.from([0]));
    const two = png({ width: 3, depth: 1, type: 3, step: 1 }, [[0b01000000], [0b10100000]], [palette, clear]);
    const [none, some] = [
      [1, 2, 3, 0],
      [200, 100, 50, 255],
    ] as const;
    expect([...(decodePng(two)?.rgba ?? [])]).toEqual([none, some, none, some, none, some].flat());
    const grey = png({ width: 2, depth: 4, type: 0, step: 1 }, [[0xf3]], [chunk("tRNS", Buffer.from([0, 3]))]);
    expect([...(decodePng(grey)?.rgba ?? [])]).toEqual([255, 255, 255, 255, 51, 51, 51, 0]);
    const greyOpacity = png({ width: 1, depth: 8, type: 4, step: 2 }, [[7, 99]]);
    expect([...(decodePng(greyOpacity)?.rgba ?? [])]).toEqual([7, 7, 7, 99]);
  });

  it("a damaged, interlaced or gigantic file is no picture, and none of it is unpacked", () => {
    const good = encodePng(picture);
    expect(decodePng(good.subarray(0, 60))).toBeUndefined();
    expect(decodePng(Buffer.from("text"))).toBeUndefined();
    const interlaced = Buffer.from(good);
    interlaced[28] = 1;
    expect(decodePng(interlaced)).toBeUndefined();
    const huge = Buffer.from(good);
    huge.writeUInt32BE(60_000, 16);
    huge.writeUInt32BE(60_000, 20);
    expect(decodePng(huge)).toBeUndefined();
    for (const protocol of ["kitty", "iterm2", "sixel"] as const)
      expect(drawPicture(huge, { protocol }, MOST)).toBeUndefined();
  });
});

describe("drawing", () => {
  const large = encodePng(noisy(900, 600));

  it("G-119 a file that is too large is sent smaller, with as many pixels as its cells have", () => {
    expect(large.length).toBeGreaterThan(1_048_576);
    const drawn = drawPicture(large, { protocol: "iterm2", cell: CELL }, MOST);
    const file = Buffer.from(drawn?.bytes.slice(drawn.bytes.indexOf(":") + 1, -1) ?? "", "base64");
    expect(drawn?.area).toEqual({ columns: 60, rows: 20 });
    expect(pictureSize(file)).toEqual({ type: "png", width: 600, height: 400 });
  });

  it("G-119 formats that cannot be turned into what the terminal takes are not drawn", () => {
    const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xc2, 0, 11, 8, 0, 30, 0, 40, 3, 1, 1]);
    expect(drawPicture(jpeg, { protocol: "iterm2" }, MOST)?.area).toEqual({ columns: 4, rows: 2 });
    expect(drawPicture(jpeg, { protocol: "kitty" }, MOST)).toBeUndefined();
    expect(drawPicture(jpeg, { protocol: "sixel" }, MOST)).toBeUndefined();
    expect(drawPicture(Buffer.concat([jpeg, Buffer.alloc(2_000_000)]), { protocol: "iterm2" }, MOST)).toBeUndefined();
    expect(drawPicture(encodePng(noisy(3, 3)), { protocol: "none" }, MOST)).toBeUndefined();
  });

  it("G-119 sixels stay within the rows that were kept for them, also where the size of a cell is not known", () => {
    const pictures = [noisy(700, 400), noisy(40, 300), noisy(3, 1), noisy(500, 7)].map((one) => encodePng(one));
    for (const cell of [undefined, { width: 7, height: 15 }, { width: 20, height: 41 }]) {
      for (const picture of pictures) {
        const drawn = drawPicture(picture, { protocol: "sixel", cell }, { columns: 30, rows: 9 });
        const [, across = "", down = ""] = /"1;1;(\d+);(\d+)/.exec(drawn?.bytes ?? "") ?? [];
        const lowest = cell ?? { width: 6, height: 12 };
        expect(drawn?.area.rows).toBeLessThanOrEqual(9);
        expect(Math.ceil(Number(down) / 6) * 6).toBeLessThanOrEqual((drawn?.area.rows ?? 0) * lowest.height);
        expect(Number(across)).toBeLessThanOrEqual(30 * lowest.width);
        expect(Number(down)).toBeGreaterThan(0);
      }
    }
  });

  it("G-119 a grey between two sixel colours is a pattern of both", () => {
    const grey = pixels(16, 12, () => [76, 76, 76, 255]);
    const drawn = drawPicture(encodePng(grey), { protocol: "sixel", cell: CELL }, MOST);
    expect(drawn?.bytes).toContain("#43;2;20;20;20");
    expect(drawn?.bytes).toContain("#86;2;40;40;40");
  });
});
