import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import type { ModelInfo, Request } from "@lathe/llm";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bench, toolBench } from "../../../../test/call-tool.ts";
import type { ScriptedTurn } from "../../../../test/support/scripted-client.ts";
import { setUp, testProfile } from "../../../../test/support/session.ts";
import { Parser } from "../../../files/parser/parser.ts";
import type { ImageOptions } from "../../../files/read/fit-image.ts";
import { imageSize, MOST_IMAGE_BYTES } from "../../../files/target/images.ts";
import { LocalEnvironment } from "../../../world/env/local.ts";
import { readTool } from "../read/index.ts";
import { inspectImageTool } from "./index.ts";

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: "#7799bb" } });

/** An image that JPEG and PNG cannot compress well. */
const noise = (side: number) =>
  sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } });

const crcTable = Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  let crc = 0xffffffff;
  for (const byte of body) crc = crcTable[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length);
  ends.writeUInt32BE((crc ^ 0xffffffff) >>> 0, 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

/** A few bytes that claim to be an image of any size. */
function pixelBomb(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(Buffer.alloc(1 << 20));
  return Buffer.concat([signature, chunk("IHDR", head), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

const imagesIn = ({ messages }: Request) =>
  messages.flatMap(({ content }) =>
    content.flatMap((part) =>
      part.kind === "image" ? [part.image] : part.kind === "tool_result" ? (part.toolResult.images ?? []) : [],
    ),
  );

/** The parser processes started by this process. */
function ownParsers(): string[] {
  const rows = execFileSync("ps", ["-o", "args=", "--ppid", String(process.pid)], { encoding: "utf8" }).split("\n");
  return rows.filter((row) => row.includes("parser/main"));
}

let dir: string;
beforeAll(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), "lathe-image-")));
  await plain(4000, 3000).png({ compressionLevel: 1 }).toFile(join(dir, "wide.png"));
  await plain(40, 30).webp().toFile(join(dir, "small.webp"));
  await writeFile(join(dir, "fake.png"), "only text\n");
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const SEEING = { supportsVision: true } as ModelInfo;

async function inspected(path: string, answers: readonly ScriptedTurn[], images: ImageOptions = { inspects: true }) {
  const env = new LocalEnvironment({ cwd: dir, baseEnv: { PATH: process.env["PATH"] } });
  const { session, client, of, finish } = setUp({
    env,
    profile: testProfile([inspectImageTool, readTool] as never, { modelInfo: SEEING }),
    services: { images },
    profilesForRole: (role) => (role === "vision" ? [testProfile([], { model: "eyes-1", modelInfo: SEEING })] : []),
    script: [
      { calls: [{ name: "inspect_image", args: { path, question: "What is it?" } }] },
      ...answers,
      { text: "done" },
    ],
  });
  await session.submit("look").catch(() => undefined);
  await finish();
  const result = of("tool_call_end")[0];
  return { client, text: JSON.stringify(result?.data), offered: client.requests[0]?.tools?.map(({ name }) => name) };
}

describe("inspect_image", () => {
  it("T-IMG-1 a large picture is made smaller for the model that looks at it, and the conversation gets none", async () => {
    const { client, text } = await inspected("wide.png", [{ text: "  A blue wall. \n" }]);
    const [first, asked, last] = client.requests;
    expect(asked?.model).toBe("eyes-1");
    const content = asked!.messages[0]!.content;
    expect(content.map(({ kind }) => kind)).toEqual(["image", "text"]);
    const [image] = imagesIn(asked!);
    expect(imageSize(image!.data!)).toEqual({ width: 1568, height: 1176 });
    expect(image!.data!.length).toBeLessThanOrEqual(500 << 10);
    expect([first!, last!].flatMap(imagesIn)).toEqual([]);
    expect(text).toContain("A blue wall.");
    expect(ownParsers()).toEqual([]); // the session has ended, and its parser process with it
  });

  it("T-IMG-1 a small picture is sent as it is", async () => {
    const { client } = await inspected("small.webp", [{ text: "Small." }]);
    const [image] = imagesIn(client.requests[1]!);
    expect([image!.mediaType, imageSize(image!.data!)]).toEqual(["image/webp", { width: 40, height: 30 }]);
  });

  it("T-IMG-1 a text file called .png is refused before anything is asked", async () => {
    const { client, text } = await inspected("fake.png", []);
    expect(text).toContain("fake.png is not an image. Give a PNG, JPEG, GIF or WebP file");
    expect(client.requests).toHaveLength(2);
  });

  it("T-IMG-1 an empty answer is an error, and blocked pictures are never sent", async () => {
    expect((await inspected("small.webp", [{ text: " " }])).text).toContain("gave no answer");
    const blocked = await inspected("small.webp", [], { inspects: true, blocks: true });
    expect(blocked.text).toContain("images.blockImages");
    expect(blocked.client.requests.flatMap(imagesIn)).toEqual([]);
  });

  it("T-IMG-1 without the setting the tool is not offered", async () => {
    const { offered } = await inspected("small.webp", [{ text: "x" }], {});
    expect(offered).toEqual(["read"]);
    expect((await inspected("small.webp", [{ text: "x" }])).offered).toEqual(["inspect_image", "read"]);
  });
});

describe("pictures in read", () => {
  let bench: Bench;
  const parser = new Parser();
  beforeAll(async () => {
    bench = await toolBench();
    bench.services.parser = parser;
  });
  afterAll(async () => {
    await parser.close();
    await bench.close();
  });

  const put = async (name: string, bytes: Buffer) => writeFile(join(bench.dir, name), bytes);
  const failure = (path: string) =>
    bench.call(readTool, { path }).then(
      () => "read",
      (error: Error) => error.message,
    );

  it("T-READ-7 a picture is given to the model, and made smaller when a request could not carry it", async () => {
    await put("small.png", await plain(20, 10).png().toBuffer());
    const small = await bench.call(readTool, { path: "small.png" });
    expect(small.content).toMatchObject([
      { kind: "text", text: expect.stringContaining("small.png: image/png, 20x10 pixels") },
      { kind: "image", image: { mediaType: "image/png" } },
    ]);
    await put("large.png", await noise(1700).png().toBuffer());
    const { content } = await bench.call(readTool, { path: "large.png" });
    const [text, image] = content as unknown as [{ text: string }, { image: { data: Uint8Array; mediaType: string } }];
    expect(text.text).toMatch(/; made smaller, from 1700x1700 to \d+x\d+ pixels$/);
    expect(image.image.mediaType).toBe("image/jpeg");
    expect(image.image.data.length).toBeLessThanOrEqual(MOST_IMAGE_BYTES);
  });

  it("T-READ-7 with inspect_image there are facts and a pointer instead of the picture", async () => {
    bench.services.imageInspector = { ask: async () => "" };
    const { content } = await bench.call(readTool, { path: "small.png" });
    expect(content).toEqual([
      {
        kind: "text",
        text: expect.stringMatching(/^small\.png: image\/png, 20x10 pixels, \d+ bytes\. Ask inspect_image/),
      },
    ]);
    bench.services.imageInspector = undefined;
  });

  it("hostile pictures end with one line, and the next one is read", async () => {
    const padded = (bytes: Buffer, size: number) => Buffer.concat([bytes, Buffer.alloc(size - bytes.length)]);
    await put("bomb.png", padded(pixelBomb(60_000, 60_000), 5 << 20));
    expect(await failure("bomb.png")).toContain("the picture has more than 100 million pixels");
    await put("broken.jpg", padded(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0]), 5 << 20));
    expect(await failure("broken.jpg")).toContain("the picture is damaged");
    await put("huge.gif", padded(Buffer.from("GIF89a"), 21 << 20));
    expect(await failure("huge.gif")).toContain("Pictures of up to 20 MiB can be viewed.");
    expect(await failure("small.png")).toBe("read");
  });

  it.each(["png", "jpeg", "webp", "gif"] as const)("the size of a %s file is known from its header", async (kind) => {
    expect(imageSize(await plain(123, 45).toFormat(kind).toBuffer())).toEqual({ width: 123, height: 45 });
  });
});
