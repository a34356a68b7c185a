// Pictures made by a model, and diagrams, in whole runs. The vendors are stubs that answer as documented.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Script, turn } from "@lathe/testkit";
import sharp from "sharp";
import { afterEach, beforeAll, expect, it } from "vitest";
import { type Stage, stage } from "./contract-kit.ts";

interface Asked {
  readonly line: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

let png: Buffer;
beforeAll(async () => {
  png = await sharp({ create: { width: 30, height: 20, channels: 3, background: "#3366cc" } })
    .png()
    .toBuffer();
});

let scene: Stage;
let vendor: Server;
let asked: Asked[];
afterEach(async () => {
  await scene.close();
  vendor.closeAllConnections();
  await new Promise((resolve) => vendor.close(resolve));
});

const file = (name: string): string => join(scene.box.dir, name);

async function begin(
  script: Script,
  settings: string,
  answer: () => { status?: number; json: unknown },
): Promise<string> {
  asked = [];
  vendor = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    asked.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
    const { status = 200, json } = answer();
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
  });
  await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
  scene = await stage(script);
  const common = "retry:\n  baseDelay: 0.001\ntools:\n  discoveryMode: off\n";
  writeFileSync(join(scene.box.home, "fast.yml"), `${common}${settings}`);
  return `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
}

const make = (args: object) => turn.calls([{ name: "generate_image", args: args as never }]);
const run = (env: Record<string, string>, mode = "full") =>
  scene.run(["--permission-mode", mode, "go"], { env: { ...env } });

interface Body {
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly { readonly content: unknown }[];
}
const lastBody = () => scene.server.requests.at(-1)?.body as Body;
const result = (): string => JSON.stringify(lastBody().messages.at(-1)?.content);
const offered = (): string[] => (scene.server.requests[0]!.body as Body).tools?.map(({ name }) => name) ?? [];

const ON = "generate_image:\n  enabled: true\n";

it("T-IMG-2 Gemini makes a picture: the request, the new file and the picture in the conversation", async () => {
  const json = () => ({
    candidates: [{ content: { parts: [{ inlineData: { mimeType: "image/png", data: png.toString("base64") } }] } }],
  });
  const url = await begin(
    [make({ prompt: "a blue card", path: "art/card.png", shape: "landscape" }), turn.text("done")],
    ON,
    () => ({ json: json() }),
  );
  expect(await run({ GEMINI_API_KEY: "g-key", GEMINI_BASE_URL: url })).toMatchObject({ code: 0 });
  expect(asked.map(({ line }) => line)).toEqual(["POST /v1beta/models/gemini-2.5-flash-image:generateContent"]);
  expect(asked[0]!.headers["x-goog-api-key"]).toBe("g-key");
  expect(JSON.parse(asked[0]!.body.toString())).toEqual({
    contents: [{ role: "user", parts: [{ text: "a blue card" }] }],
    generationConfig: { responseModalities: ["IMAGE"], imageConfig: { aspectRatio: "16:9" } },
  });
  expect(readFileSync(file("art/card.png")).equals(png)).toBe(true);
  expect(result()).toContain("Created art/card.png (image/png, 30x20 pixels");
  expect(result()).toContain(png.toString("base64"));
  expect(result()).not.toContain("g-key");
});

it("T-IMG-2 OpenAI changes a given picture, by a form; an existing file is never replaced", async () => {
  const url = await begin(
    [
      make({ prompt: "make it red", path: "red.png", images: ["blue.png"] }),
      make({ prompt: "again", path: "red.png" }),
      make({ prompt: "plain", path: "plain.png" }),
      turn.text("done"),
    ],
    `${ON}providers:\n  image: openai\n`,
    () => ({ json: { data: [{ b64_json: png.toString("base64") }], output_format: "png" } }),
  );
  writeFileSync(file("blue.png"), png);
  expect(await run({ OPENAI_API_KEY: "o-key", OPENAI_BASE_URL: `${url}/v1` })).toMatchObject({ code: 0 });
  expect(asked.map(({ line }) => line)).toEqual(["POST /v1/images/edits", "POST /v1/images/generations"]);
  const form = await new Response(new Uint8Array(asked[0]!.body), {
    headers: { "content-type": asked[0]!.headers["content-type"]! },
  }).formData();
  expect([form.get("prompt"), form.get("model"), form.get("size")]).toEqual(["make it red", "gpt-image-1", "auto"]);
  expect(Buffer.from(await (form.get("image[]") as File).arrayBuffer()).equals(png)).toBe(true);
  expect(JSON.parse(asked[1]!.body.toString())).toEqual({ model: "gpt-image-1", prompt: "plain", n: 1, size: "auto" });
  expect(asked[1]!.headers["authorization"]).toBe("Bearer o-key");
  expect(JSON.stringify(lastBody().messages)).toContain("red.png exists. Name a new file; nothing was made.");
  expect(existsSync(file("plain.png"))).toBe(true);
});

it("T-IMG-2 OpenRouter is asked when the setting names it; words instead of a picture, errors and other formats are one line each", async () => {
  const answers = [
    {
      json: {
        choices: [{ message: { images: [{ image_url: { url: `data:image/png;base64,${png.toString("base64")}` } }] } }],
      },
    },
    { json: { choices: [{ message: { content: "I cannot draw that." } }] } },
    { status: 402, json: { error: { message: "Insufficient credits" } } },
    {
      json: {
        choices: [{ message: { images: [{ image_url: { url: `data:image/png;base64,${png.toString("base64")}` } }] } }],
      },
    },
    {
      json: { choices: [{ message: { images: [{ image_url: { url: "data:image/png;base64,bm8gcGljdHVyZQ==" } }] } }] },
    },
  ];
  const orders = ["a.png", "b.png", "c.png", "d.jpg", "e.png"].map((path) => make({ prompt: "x", path }));
  const url = await begin(
    [...orders, turn.text("done")],
    `${ON}providers:\n  image: openrouter\n`,
    () => answers.shift()!,
  );
  const env = { OPENROUTER_API_KEY: "r-key", OPENROUTER_IMAGE_BASE_URL: url, GEMINI_API_KEY: "not this one" };
  expect(await run(env)).toMatchObject({ code: 0 });
  expect(asked[0]!.line).toBe("POST /chat/completions");
  expect(JSON.parse(asked[0]!.body.toString())).toMatchObject({
    model: "google/gemini-2.5-flash-image",
    modalities: ["image", "text"],
  });
  const told = JSON.stringify(lastBody().messages);
  expect(told).toContain("sent image/png that is not an image. Nothing was written.");
  expect(existsSync(file("e.png"))).toBe(false);
  expect(told).toContain("OpenRouter made no picture: I cannot draw that. Nothing was written.");
  expect(told).toContain("answered with status 402");
  expect(told).toContain("so the file must end in .png. The picture is in artifact://");
  expect(["a.png", "b.png", "c.png", "d.jpg"].map((name) => existsSync(file(name)))).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

it("T-IMG-2 without a key the line names the variable and the command; where edits are asked about, nothing is sent", async () => {
  await begin([make({ prompt: "x", path: "a.png" }), turn.text("done")], ON, () => ({ json: {} }));
  await run({});
  expect(result()).toContain(
    "No key for pictures was found. Ask the user to set GEMINI_API_KEY (or lathe login gemini)",
  );
  await scene.close();
  const url = await begin([make({ prompt: "x", path: "a.png" }), turn.text("done")], ON, () => ({ json: {} }));
  await run({ GEMINI_API_KEY: "g-key", GEMINI_BASE_URL: url }, "auto-edit");
  expect(asked).toEqual([]);
  expect(existsSync(file("a.png"))).toBe(false);
});

it("T-IMG-2 T-MMD-1 G-89 the tools are offered only where their settings say so", async () => {
  await begin([turn.text("done")], "", () => ({ json: {} }));
  await run({ GEMINI_API_KEY: "g-key" });
  expect(offered()).not.toEqual(expect.arrayContaining(["generate_image"]));
  expect(offered()).not.toEqual(expect.arrayContaining(["render_mermaid"]));
  await scene.close();
  const draw = turn.calls([{ name: "render_mermaid", args: { mermaid: "graph TD; A-->B" } }]);
  await begin([draw, turn.text("done")], `${ON}renderMermaid:\n  enabled: true\n`, () => ({ json: {} }));
  await run({}, "plan");
  expect(offered()).toEqual(expect.arrayContaining(["generate_image", "render_mermaid"]));
  expect(result()).toContain("│ A │");
});
