// browser: pages in a real browser. The host owns the browser; this tool is its interface for the model.

import { visibleLine } from "../../../base/text/visible.ts";
import type { Card, CardResult } from "../../../contract/card.ts";
import {
  type Access,
  type CallScope,
  type PreviewLine,
  type ToolContext,
  type ToolDef,
  ToolFailure,
  type ToolResult,
} from "../../../contract/tool.ts";
import { quoteShell } from "../../../world/env/shell-quote.ts";
import "../../../files/web/services.ts";
import { verbOf } from "../card.ts";
import { hostAccess } from "../web-access.ts";
import description from "./description.md";
import { type BrowserArgs, schema } from "./params.ts";
import { scriptAccess, scriptPreview, type TabReach } from "./script-access.ts";

/** A call with its defaults filled in. The path of an app has its links resolved. */
export interface BrowserRequest extends Omit<BrowserArgs, "timeout" | "name" | "url"> {
  readonly name: string;
  readonly url?: URL | undefined;
  readonly timeoutMs: number;
}

/** The browser of a session with its tabs. Fails with ToolFailure if an action cannot be done. */
export interface BrowserService {
  /** The browser can reach no files, and no hosts that were not judged. */
  isConfined(): Promise<boolean>;
  /** What the tab can reach; undefined if there is no such tab. */
  reachOf(name: string): Promise<TabReach | undefined>;
  run(request: BrowserRequest, context: ToolContext): Promise<ToolResult>;
}

declare module "../../../contract/tool.ts" {
  interface ToolServices {
    readonly browser?: BrowserService;
  }
}

const COLLAPSED = 12;
const SECONDS = { default: 30, least: 1, most: 300 };

export const browserTool: ToolDef<BrowserArgs> = {
  name: "browser",
  label: "Browser",
  description: description.trim(),
  schema,
  tier: ({ action, url, app }) =>
    action === "run"
      ? "network"
      : action !== "open"
        ? "read"
        : app !== undefined
          ? "exec"
          : url === undefined
            ? "read"
            : "network",
  replay: "never",
  needs: ["browser", "web"],
  loadMode: "discoverable",
  // Each action has its own deadline.
  timeoutMs: 0,
  output: { chars: 30_000, mode: "head" },
  access,
  summary,
  card,
  preview: async (args, scope) => ({ lines: await previewLines(args, scope), shows: SHOWN }),
  execute: async (args, context) => serviceOf(context).run(await requestOf(args, context), context),
};

const SHOWN = ["action", "name", "url", "app", "all", "kill", "timeout", "wait_until", "code", "files"];

/** We ask about every host, even one whose address the user has seen, because scripts of a page can send data. */
async function access(args: BrowserArgs, scope: CallScope): Promise<readonly Access[]> {
  if (args.action === "close") return [];
  if (args.action === "run") {
    const { name = "main", code = "", files = [] } = args;
    const reach = await serviceOf(scope).reachOf(name);
    if (!reach) throw new ToolFailure(`There is no tab named "${name}". Open it first.`);
    return scriptAccess(reach, { name, code, files }, scope);
  }
  const { app, url } = await requestOf(args, scope);
  const cwd = scope.env.workingDirectory();
  const started: Access[] = [];
  if (app?.cdp_url !== undefined)
    started.push({ kind: "exec", command: `browser attach ${app.cdp_url}`, cwd, doubt: ATTACHES });
  else if (app?.path !== undefined)
    started.push({
      kind: "exec",
      command: [app.path, ...(app.args ?? [])].map(quoteShell).join(" "),
      cwd,
      doubt: STARTS,
    });
  else if (!(await serviceOf(scope).isConfined()))
    started.push({ kind: "exec", command: "chromium", cwd, doubt: UNCONFINED });
  return url === undefined ? started : [...started, await hostAccess(url, scope)];
}

const ATTACHES = "it takes over a running browser";
const STARTS = "it runs an app that the agent then controls";
const UNCONFINED = "there is no bubblewrap here, so the browser is not confined";

async function previewLines(args: BrowserArgs, scope: CallScope): Promise<PreviewLine[]> {
  const { url, app, action, name = "main", code = "", files = [] } = args;
  if (action === "run") return scriptPreview(name, code, files);
  if (action !== "open") return [{ text: summary(args) }];
  const isConfined = app !== undefined || (await serviceOf(scope).isConfined());
  const question = (text: string): PreviewLine => ({ text, kind: "question" });
  const note = (text: string): PreviewLine => ({ text, kind: "note" });
  const page: readonly PreviewLine[] = url === undefined ? [] : [note("the page's scripts can send data to its hosts")];
  const opened = url === undefined ? [] : [note(`opens ${url}`)];
  const target = app?.target === undefined ? [] : [note(`on the page whose address or title contains "${app.target}"`)];
  if (app?.cdp_url !== undefined)
    return [
      question(`Let the agent control the browser at ${app.cdp_url}`),
      note(SIGNED_IN),
      ...target,
      ...opened,
      ...page,
    ];
  if (app?.path !== undefined) {
    const command = [app.path, ...(app.args ?? [])].map(quoteShell).join(" ");
    return [
      question("Start this app and let the agent control it"),
      { text: `│ ${command}` },
      note("with a profile of its own"),
      ...target,
      ...opened,
      ...page,
    ];
  }
  return [
    question(url === undefined ? "Open a tab in a browser" : `Open ${url} in a browser`),
    ...page,
    ...(isConfined ? [] : [note(`${UNCONFINED}: its pages can reach this machine's network`)]),
  ];
}

const SIGNED_IN = "with everything that is open and signed in there";

function serviceOf({ services }: Pick<CallScope, "services">): BrowserService {
  if (!services.browser) throw new ToolFailure("There is no browser here.");
  return services.browser;
}

async function requestOf(args: BrowserArgs, { paths }: Pick<CallScope, "paths">): Promise<BrowserRequest> {
  const { action, name = "main", url, app, code, timeout = SECONDS.default } = args;
  if (name !== visibleLine(name)) throw new ToolFailure("The name of a tab is one line of visible characters.");
  if (action === "run" && !code?.trim()) throw new ToolFailure("run needs `code`.");
  if (app?.path !== undefined && app.cdp_url !== undefined)
    throw new ToolFailure("An app has either a path or a cdp_url, not both.");
  if (app !== undefined && app.path === undefined && app.cdp_url === undefined)
    throw new ToolFailure("An app needs a path or a cdp_url.");
  return {
    ...args,
    name,
    url: url === undefined ? undefined : pageUrl(url),
    ...(app?.path === undefined ? {} : { app: { ...app, path: (await paths.locate(app.path)).real } }),
    timeoutMs: Math.min(Math.max(timeout, SECONDS.least), SECONDS.most) * 1000,
  };
}

function pageUrl(address: string): URL {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(address) ?? [];
  const isWeb = /^https?$/i.test(scheme ?? "");
  if (isWeb && URL.canParse(address)) return new URL(address);
  if (isWeb) throw new ToolFailure(`"${address}" is not an address.`);
  if (scheme === undefined || /^[^/]*:\d+(\/|$)/.test(address))
    throw new ToolFailure(`"${address}" has no scheme: write http://${address.replace(/^\/+/, "")}.`);
  throw new ToolFailure(`${scheme}: addresses cannot be opened; use http or https.`);
}

function summary({ action, name, url, app, all, code }: BrowserArgs): string {
  const where = app?.cdp_url ?? app?.path;
  const script = action === "run" ? code?.trim().split("\n", 1)[0] : undefined;
  const what =
    action === "close" && all ? "all tabs" : [script, url, where && `in ${where}`].filter((word) => word).join(" ");
  const tab = name === undefined || all ? "" : `(${name})`;
  return [action, what, tab].filter((word) => word).join(" ");
}

function card(args: BrowserArgs, result?: CardResult): Card {
  const { status } = result?.details ?? {};
  return {
    verb: verbOf(["Browsing", "Browsed", "Browse"], result),
    subject: summary(args),
    outcome: typeof status === "number" ? `status ${status}` : undefined,
    body:
      result && result.text !== ""
        ? { kind: "output", text: result.text, keeps: "head", collapsed: COLLAPSED }
        : undefined,
  };
}
