// A sample for a web page: bundled from the packed packages, as users do, and run in Chromium.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import { chromium } from "playwright-core";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/**
 * @param file the compiled module, below a folder with our packages installed
 * @param expression what the page evaluates; `sample` is the module
 */
export async function evaluateInPage(file: string, expression: string): Promise<unknown> {
  const bundled = await build({
    entryPoints: [file],
    bundle: true,
    format: "iife",
    globalName: "sample",
    write: false,
    logLevel: "silent",
  });
  const [script] = bundled.outputFiles;
  if (bundled.warnings.length > 0) throw new Error(bundled.warnings.map(({ text }) => text).join("\n"));
  const site = createServer((_, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>sample</title>");
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    await page.addScriptTag({ content: script?.text ?? "" });
    return await page.evaluate(expression);
  } finally {
    await browser.close();
    site.close();
  }
}
