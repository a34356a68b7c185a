// The addresses of `lathe serve` put together: first the guard, then who asks and what they may, then what the address does.

import { type Handler, Hono } from "hono";
import { COMMAND_PATH, ROUTES, type Route } from "../api.ts";
import { RESPONSE_HEADERS } from "../guard/response-headers.ts";
import type { PageFile } from "../page-files.ts";
import { Refused } from "../refused.ts";
import { type Asked, type Bindings, type Call, checkScope, checkSession, queryOf } from "./asked.ts";
import { EventStreams } from "./event-stream.ts";
import { refusedBy } from "./failure.ts";
import { HANDLERS, type HandlerOptions, runCommand } from "./handlers.ts";

export interface AppOptions extends Omit<HandlerOptions, "streams"> {
  readonly page: () => Promise<Readonly<Record<string, PageFile>>>;
}

const COMMAND: Route = { method: "POST", path: `${COMMAND_PATH}/{command}`, does: "Any command.", scope: "any" };

export function appOf({ page, ...rest }: AppOptions): Hono<Bindings> {
  const options: HandlerOptions = { ...rest, streams: new EventStreams() };
  const app = new Hono<Bindings>();
  app.use(async (call, next) => {
    for (const [name, value] of Object.entries(RESPONSE_HEADERS)) call.header(name, value);
    await next();
  });
  const add = (route: Route, handle: (asked: Asked, options: HandlerOptions) => Response | Promise<Response>): void => {
    const handler: Handler<Bindings> = (call) => handle(asked(call, route, options), options);
    app.on(route.method, route.path.replaceAll(/\{(\w+)\}/g, ":$1"), handler);
  };
  for (const [name, route] of Object.entries(ROUTES)) add(route, HANDLERS[name as keyof typeof ROUTES]);
  add(COMMAND, runCommand);
  app.get("/:file?", (call) => pageFile(call, page));
  app.notFound(() => {
    throw new Refused(404, "unknown_address", "There is nothing at this address. See schemas/openapi.json.");
  });
  app.onError((error, call) => failure(call, error));
  return app;
}

function asked(call: Call, route: Route, { signIn }: HandlerOptions): Asked {
  const { scope } = route;
  const visitor = scope === undefined ? undefined : signIn.visitor(call.env.incoming);
  if (visitor !== undefined) {
    checkSession(visitor, route, call.req.param("sessionId"));
    if (scope !== undefined && scope !== "any") checkScope(visitor, scope);
  }
  return { call, visitor, query: queryOf(call, route.query) };
}

/** The names are those of the page, so that no address can lead to another file. */
async function pageFile(call: Call, page: AppOptions["page"]): Promise<Response> {
  const files = await page();
  const name = call.req.param("file") ?? "index.html";
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (file === undefined) throw new Refused(404, "unknown_address", "There is nothing at this address.");
  return call.body(file.bytes as Uint8Array<ArrayBuffer>, 200, { "content-type": file.type });
}

export function failure(call: Call, error: unknown): Response {
  const { status, code, message, retryAfter } = refusedBy(error);
  const { incoming } = call.env;
  // What is left of a refused body is not read.
  if (!incoming.complete) call.header("connection", "close");
  if (retryAfter !== undefined) call.header("retry-after", String(retryAfter));
  return call.json({ code, message }, status as 400);
}
