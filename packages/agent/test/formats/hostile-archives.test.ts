// Archives made to do harm: each gives one clear line and needs hardly any memory.

import { crc32, deflateRawSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ToolFailure } from "../../src/contract/tool.ts";
import { tarFormat, tgzFormat, zipFormat } from "../../src/files/formats/archive/index.ts";
import type { Format } from "../../src/files/target/format.ts";
import { has } from "../programs.ts";
import { tarHeader, zipOf } from "./archive-bytes.ts";
import { scene } from "./scene.ts";

const GIGABYTE = 2 ** 30;

/** Deflate data that inflates to 10 MB of zeros, 100 times over. */
const bomb = (): Buffer => {
  const piece = gzipSync(Buffer.alloc(10 << 20));
  return Buffer.concat(Array.from({ length: 300 }, () => piece));
};

const inflated = Buffer.alloc(20 << 20);
const deflated = deflateRawSync(inflated);

const cases: readonly (readonly [string, Format, string, () => Buffer, string, RegExp])[] = [
  [
    "a zip bomb that lies about its size",
    zipFormat,
    "a.zip",
    () => zipOf([{ name: "b", data: deflated, size: 100, method: 8 }]),
    "b",
    /^a\.zip cannot be read: it inflates to more than 100 bytes, more than it says or than is read here\.$/,
  ],
  [
    "a zip bomb that does not",
    zipFormat,
    "a.zip",
    () => zipOf([{ name: "b", data: deflated, size: 0xfffffff0, method: 8 }]),
    "b",
    /^a\.zip cannot be read: b has 4294967280 bytes, and at most 67108864 are read here; extract it in the shell\.$/,
  ],
  [
    "overlapping members",
    zipFormat,
    "a.zip",
    () =>
      zipOf([
        { name: "b", data: deflated, size: inflated.length, crc: crc32(inflated), method: 8 },
        { name: "c", data: deflated, size: inflated.length, method: 8, offset: 0 },
      ]),
    "c",
    /shares bytes with another member, so the archive is damaged or made to mislead\.$/,
  ],
  [
    "two names for one place",
    zipFormat,
    "a.zip",
    () => zipOf([{ name: "good", data: Buffer.from("x"), crc: crc32("x"), localName: "evil" }]),
    "good",
    /good has another name in the list of members than in its own header/,
  ],
  [
    "an encrypted member",
    zipFormat,
    "a.zip",
    () => zipOf([{ name: "b", data: Buffer.from("x"), flags: 1 }]),
    "b",
    /^a\.zip cannot be read: b is encrypted; extract it in the shell with its password\.$/,
  ],
  [
    "an unknown method",
    zipFormat,
    "a.zip",
    () => zipOf([{ name: "b", data: Buffer.from("x"), method: 14 }]),
    "b",
    /b is compressed with LZMA \(method 14\), which is not supported/,
  ],
  [
    "a wrong checksum",
    zipFormat,
    "a.zip",
    () => zipOf([{ name: "b", data: Buffer.from("x"), crc: 1 }]),
    "b",
    /b does not have the size and checksum/,
  ],
  [
    "bytes that are not deflated",
    zipFormat,
    "a.zip",
    () => zipOf([{ name: "b", data: Buffer.from("\xff\xff\xff", "latin1"), size: 9, method: 8 }]),
    "b",
    /its compressed bytes are damaged/,
  ],
  [
    "a zip cut short",
    zipFormat,
    "a.zip",
    () => zipOf([{ name: "b", data: Buffer.alloc(1000) }]).subarray(0, 900),
    "b",
    /^a\.zip cannot be read: it has no end record, so it is cut short or is not a zip archive\.$/,
  ],
  [
    "a directory that begins before the file",
    zipFormat,
    "a.zip",
    () => zipOf([{ name: "b" }], { size: 100_000 }),
    "b",
    /its end record does not fit the file/,
  ],
  [
    "a zip that says it has more members",
    zipFormat,
    "a.zip",
    () => zipOf([{ name: "b" }], { count: 7 }),
    "b",
    /it says it has 7 members and lists 1/,
  ],
  [
    "a split zip",
    zipFormat,
    "a.zip",
    () => {
      const zip = zipOf([{ name: "b" }]);
      zip.writeUInt16LE(3, zip.length - 18);
      return zip;
    },
    "b",
    /one part of a split archive/,
  ],
  [
    "../ in a zip",
    zipFormat,
    "a.zip",
    () => zipOf([{ name: "../../etc/passwd" }]),
    "../../etc/passwd",
    /^Archive path cannot contain '\.\.': a\.zip:\.\.\/\.\.\/etc\/passwd/,
  ],
  [
    "an absolute path in a zip",
    zipFormat,
    "a.zip",
    () => zipOf([{ name: "/etc/passwd" }]),
    "/etc/passwd",
    /^Archive path cannot be absolute/,
  ],
  [
    "no tar at all",
    tarFormat,
    "a.tar",
    () => Buffer.from("hello ".repeat(200)),
    "b",
    /^a\.tar cannot be read: it is not a tar archive\.$/,
  ],
  [
    "a tar cut short",
    tarFormat,
    "a.tar",
    () => Buffer.concat([tarHeader("b", 5000), Buffer.alloc(600)]),
    "b",
    /it is cut short: b is not all there/,
  ],
  [
    "a tar member of 8 GB",
    tarFormat,
    "a.tar",
    () => Buffer.concat([tarHeader("b", 8 * GIGABYTE - 1), Buffer.alloc(600)]),
    "b",
    /it is cut short: b is not all there/,
  ],
  [
    "a tar header of 1 GB",
    tarFormat,
    "a.tar",
    () => Buffer.concat([tarHeader("b", GIGABYTE, "x"), Buffer.alloc(600)]),
    "b",
    /a header in it has 1073741824 bytes/,
  ],
  [
    "a size that is no number",
    tarFormat,
    "a.tar",
    () => Buffer.concat([tarHeader("b", "zzzzzzzzzzz"), Buffer.alloc(600)]),
    "b",
    /impossible size/,
  ],
  [
    "pax records that lie",
    tarFormat,
    "a.tar",
    () => {
      const pax = Buffer.alloc(512);
      pax.write("99999 path=x\n");
      return Buffer.concat([tarHeader("p", 13, "x"), pax, tarHeader("b", 0), Buffer.alloc(1024)]);
    },
    "b",
    /its pax records are damaged/,
  ],
  [
    "a gzip bomb behind a tar header",
    tgzFormat,
    "a.tgz",
    () => Buffer.concat([gzipSync(Buffer.concat([tarHeader("b", 3 * GIGABYTE)])), bomb()]),
    "b",
    /it inflates to more than 2147483648 bytes|b has 3221225472 bytes/,
  ],
  [
    "a tgz cut short",
    tgzFormat,
    "a.tgz",
    () => gzipSync(Buffer.concat([tarHeader("b", 5000), Buffer.alloc(6000)])).subarray(0, 40),
    "b",
    /it is cut short|damaged/,
  ],
  [
    "a tgz that is none",
    tgzFormat,
    "a.tgz",
    () => gzipSync(Buffer.from("hello")),
    "b",
    /it is cut short|no tar archive/,
  ],
];

const failure = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => new Error("did not fail"),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ToolFailure);
  return (error as Error).message;
};

describe("hostile archives", () => {
  it.each(cases)("%s: one clear line", async (_, format, name, make, inner, expected) => {
    using s = scene();
    s.write(name, make());
    const before = process.memoryUsage().rss;
    const line = await failure(s.read(format, name, inner));
    expect(line).toMatch(expected);
    expect(line).not.toContain("\n");
    expect(process.memoryUsage().rss - before).toBeLessThan(150 << 20);
  });

  it("2 million members: refused by what the archive says, before the list is read", async () => {
    using s = scene();
    const [count, bytes] = [2_000_000, 94_000_000];
    const end = Buffer.alloc(98);
    for (const [at, mark] of [
      [0, 6],
      [56, 7],
      [76, 5],
    ] as const)
      end.write(`PK${String.fromCharCode(mark === 5 ? 5 : 6, mark === 5 ? 6 : mark)}`, at, "latin1");
    for (const [at, value] of [
      [24, count],
      [32, count],
      [40, bytes],
      [64, bytes],
    ] as const)
      end.writeBigUInt64LE(BigInt(value), at);
    for (const at of [84, 86]) end.writeUInt16LE(0xffff, at);
    for (const at of [88, 92]) end.writeUInt32LE(0xffffffff, at);
    s.write("end", end);
    s.run(`truncate -s ${bytes} many.zip && cat end >> many.zip`);
    const line = await failure(s.read(zipFormat, "many.zip", "f"));
    expect(line).toBe(
      "many.zip cannot be read: it lists 2000000 members in 94000000 bytes, and at most 200000 in 67108864 are read here; use unzip in the shell.",
    );
    expect(s.ranges.reduce((sum, { start, end }) => sum + end - start, 0)).toBeLessThan(100_000);
    const member = Buffer.concat([tarHeader("f", 0)]);
    s.write("many.tgz", gzipSync(Buffer.alloc(201_000 * 512, member), { level: 1 }));
    expect(await failure(s.read(tgzFormat, "many.tgz", "x"))).toContain(
      "it has more than 200000 members; use tar in the shell",
    );
  });

  it("members that lead out are counted and not listed; control characters do not reach the terminal", async () => {
    using s = scene();
    s.write("a.zip", zipOf([{ name: "ok" }, { name: "../up" }, { name: "/abs" }, { name: "bad\x1b[31m\nname" }]));
    expect(await s.text(zipFormat, "a.zip")).toBe(
      "bad\\x1b[31m name  0 B\nok  0 B\n[2 more have names that lead out of the archive and cannot be read]",
    );
  });

  it("a damaged or misleading zip is not written", async () => {
    using s = scene();
    const zip = zipOf([
      { name: "b", data: deflated, size: inflated.length, method: 8 },
      { name: "c", data: deflated, size: 9, method: 8, offset: 0 },
    ]);
    s.write("a.zip", zip);
    expect(await failure(s.set(zipFormat, "a.zip", "new", "x"))).toMatch(
      /^The archive cannot be written: .*\. Nothing was written\.$/,
    );
    s.write(
      "e.zip",
      zipOf([
        { name: "b", data: Buffer.from("secret"), flags: 1 },
        { name: "c", data: Buffer.from("x"), crc: crc32("x") },
      ]),
    );
    expect(await failure(s.set(zipFormat, "e.zip", "b", "x"))).toContain("b is encrypted");
    await s.set(zipFormat, "e.zip", "c", "changed");
    expect(s.bytes("e.zip").includes("secret")).toBe(true);
  });

  it.skipIf(!has("tar"))("only the wanted bytes of a large zip and tar are read", async () => {
    using s = scene();
    s.run(
      "head -c 20000000 /dev/urandom > noise && echo wanted > w && tar cf a.tar noise w && zip -q0 a.zip noise w && rm noise",
    );
    for (const [format, name] of [
      [zipFormat, "a.zip"],
      [tarFormat, "a.tar"],
    ] as const) {
      s.ranges.length = 0;
      expect(await s.text(format, name, "w")).toBe("wanted\n");
      expect(s.ranges.reduce((sum, { start, end }) => sum + end - start, 0)).toBeLessThan(400_000);
    }
  });
});
