// The parameters of `browser`.

import { choice, flag, integer, listOf, number, object, optional, type StaticFields, text } from "@lathe/llm/schema";

const viewport = {
  width: integer({ description: "Pixels", minimum: 50, maximum: 10_000 }),
  height: integer({ description: "Pixels", minimum: 50, maximum: 10_000 }),
  scale: optional(number({ description: "Device pixels per pixel", minimum: 0.1, maximum: 5 })),
};

const app = {
  path: optional(text("A desktop app (Electron, Chromium) to start")),
  cdp_url: optional(text("A browser that runs with remote debugging, such as http://127.0.0.1:9222")),
  args: optional(listOf(text(), "path: its arguments")),
  target: optional(text("Which page: part of its address or title")),
};

const params = {
  action: choice(["open", "run", "close"], "What to do"),
  name: optional(text("The tab; `main` when absent")),
  url: optional(text("open: full address, http or https")),
  viewport: optional(object(viewport, "open: 1365x768 at 1.25 when absent")),
  wait_until: optional(
    choice(
      ["load", "domcontentloaded", "networkidle0", "networkidle2"],
      "open: when the page is ready; `load` when absent",
    ),
  ),
  dialogs: optional(choice(["accept", "dismiss"], "open: how dialogs are answered; `dismiss` when absent")),
  app: optional(object(app, "open: a browser other than the session's own")),
  code: optional(text("run: JavaScript, the body of an async function")),
  files: optional(listOf(text(), "run: files that the script may upload")),
  all: optional(flag("close: every tab")),
  kill: optional(flag("close: also ends the app that `path` started")),
  timeout: optional(integer("Seconds to wait, 1 to 300; 30 when absent")),
};

export const schema = object(params);

/** The arguments of a call. */
export type BrowserArgs = StaticFields<typeof params>;
