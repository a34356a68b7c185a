// Pictures on the page of `lathe serve`, in a real browser: those of messages and results are shown, and the user
// attaches some to a prompt and to a steering message.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { gate, type ModelServer, startModelServer, turn } from "@lathe/testkit";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, sandbox } from "../command.ts";
import { type Serving, serve } from "./serve-kit.ts";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const SHOTS = process.env["LATHE_SCREENSHOTS"];
const MODEL = "anthropic/claude-sonnet-4-5";

let box: Sandbox;
let model: ModelServer;
let serving: Serving;
let browser: Browser;
const stays = gate();

beforeAll(async () => {
  box = await sandbox();
  model = await startModelServer({
    script: [
      turn.calls([{ name: "read_file", args: { file_path: "tall.png" } }]),
      turn.text("A tall blue one, and a red one.", { before: stays.wait }),
      turn.text("And now a green one."),
    ],
  });
  serving = await serve(box, { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: model.baseUrl("anthropic") });
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
});
afterAll(async () => {
  await browser?.close();
  await serving?.server.end({ forgets: true });
  await model?.close();
  await box?.remove();
});

/** A picture of one colour. */
function png(width: number, height: number, colour: readonly [number, number, number]): Buffer {
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, Buffer.from(colour))]);
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([head, body, sum]);
  };
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  size.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", size),
    chunk("IDAT", deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function crc32(bytes: Buffer): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

const message = (page: Page) => page.getByRole("textbox", { name: /^Message/ });
const attached = (page: Page) => page.getByRole("list", { name: "Attached pictures" }).getByRole("img");
const shown = (page: Page) => page.getByRole("feed", { name: "Transcript" }).getByRole("img", { name: /^Picture/ });
const sizes = (page: Page): Promise<unknown> =>
  page.evaluate("[...document.querySelectorAll('.list-row img')].map((i) => [i.naturalWidth, i.naturalHeight])");

/** A file as the clipboard and a drop have it. */
const give = (page: Page, event: "paste" | "drop", name: string, bytes: Buffer): Promise<void> =>
  page.evaluate(
    ([kind, fileName, base64]) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], fileName));
      const target = document.querySelector("#message");
      const init = { bubbles: true, cancelable: true };
      if (kind === "paste") target?.dispatchEvent(new ClipboardEvent("paste", { ...init, clipboardData: data }));
      else target?.dispatchEvent(new DragEvent("drop", { ...init, dataTransfer: data }));
    },
    [event, name, bytes.toString("base64")] as const,
  );

describe.skipIf(!existsSync(CHROMIUM))("pictures on the page", () => {
  it("M1 pictures are attached by file, paste and drop, sent with a prompt and while it works, and shown as the results' are; nothing is loaded from elsewhere", async () => {
    const cwd = join(box.dir, "pictures");
    mkdirSync(cwd);
    writeFileSync(join(cwd, "tall.png"), png(60, 900, [40, 90, 220]));
    const client = await serving.client("test", "read", "prompt");
    const id = await client.createSession({ cwd, model: MODEL, permissionMode: "ask" });
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    const foreign: string[] = [];
    page.on(
      "request",
      (request) => /^(data:|http:\/\/127\.0\.0\.1:)/.test(request.url()) || foreign.push(request.url()),
    );
    await page.goto(`${serving.server.url}/#code=${await serving.code()}`);
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    await page.goto(`${serving.server.url}/#/s/${id}`);
    await message(page).waitFor();

    const red = png(300, 200, [200, 40, 40]);
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Attach pictures" }).click();
    await (await chooser).setFiles({ name: "red.png", mimeType: "image/png", buffer: red });
    await attached(page).nth(0).waitFor();
    await give(page, "paste", "wrong.png", Buffer.from("<svg onload='window.broken=1'/>"));
    await page.getByRole("alert").filter({ hasText: "wrong.png is no picture that models read." }).waitFor();
    await give(page, "drop", "large.png", Buffer.concat([red, Buffer.alloc(5 << 20)]));
    await page.getByRole("alert").filter({ hasText: "large.png is too large. A picture may have 3.9 MB." }).waitFor();
    await give(page, "drop", "second.png", red);
    await attached(page).nth(1).waitFor();
    await page.getByRole("button", { name: "Remove second.png" }).click();
    expect(await attached(page).count()).toBe(1);
    await shot(page, "attached");
    await message(page).fill("look at both");
    await message(page).press("Enter");
    await stays.reached;
    expect(model.requests.at(-1)?.view.messages.reduce((sum, { images }) => sum + images, 0)).toBeGreaterThan(0);
    await shown(page).nth(0).waitFor();
    expect(await attached(page).count()).toBe(0);

    // A picture alone steers, too.
    await give(page, "paste", "green.png", png(120, 120, [30, 160, 70]));
    await attached(page).nth(0).waitFor();
    await page.getByRole("button", { name: "Steer" }).click();
    await page.getByRole("region", { name: "Queued messages" }).getByText("1 picture").waitFor();
    stays.open();
    await page.getByRole("feed").getByText("And now a green one.").waitFor();
    const live = await sizes(page);
    expect(live).toEqual([
      [300, 200],
      [60, 900],
      [120, 120],
    ]);
    await page.reload();
    await page.getByRole("feed").getByText("And now a green one.").waitFor();
    await expect.poll(() => sizes(page)).toEqual(live);
    const [, tall] = await Promise.all([0, 1].map((n) => shown(page).nth(n).boundingBox()));
    expect(tall?.height).toBeLessThan(260);
    await page.getByRole("button", { name: "Enlarge Picture" }).nth(1).click();
    expect((await shown(page).nth(1).boundingBox())?.height).toBeGreaterThan(800);
    await page.getByRole("button", { name: "Make Picture small" }).click();
    expect(foreign).toEqual([]);
    expect(await page.evaluate("window.broken")).toBeUndefined();
    for (const width of [390, 1280])
      for (const scheme of ["dark", "light"] as const) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme: scheme });
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
        await shot(page, `${scheme}-${width}`);
      }
    await context.close();
  }, 60_000);
});

/** To look at: LATHE_SCREENSHOTS names a folder. */
async function shot(page: Page, name: string): Promise<void> {
  if (SHOTS !== undefined) await page.screenshot({ path: join(SHOTS, `pictures-${name}.png`) });
}
