// Assembles the routes of `lathe serve`: checks who asks and whether they may, then calls the handler.

import { type Answer, type Call, Router } from "../../http/call.ts";
import { Refused } from "../../http/refused.ts";
import { COMMAND_PATH, ROUTES, type Route } from "../api.ts";
import type { PageFile } from "../page-files.ts";
import { type CheckedRequest, checkScope, checkSession, queryOf } from "./checked-request.ts";
import { EventStreams } from "./event-stream.ts";
import { refusalOf } from "./failure.ts";
import { HANDLERS, type Handler, type HandlerOptions, runCommand } from "./handlers.ts";

export interface AppOptions extends Omit<HandlerOptions, "streams"> {
  readonly page: () => Promise<Readonly<Record<string, PageFile>>>;
}

const COMMAND: Route = { method: "POST", path: `${COMMAND_PATH}/{command}`, does: "Any command.", scope: "any" };

export function appOf({ page, ...rest }: AppOptions): Answer {
  const options: HandlerOptions = { ...rest, streams: new EventStreams() };
  const router = new Router(refusalOf);
  const add = (route: Route, handle: Handler): void =>
    router.add(route.method, route.path, async (call) => handle(checkRequest(call, route, options), options));
  for (const [name, route] of Object.entries(ROUTES)) add(route, HANDLERS[name as keyof typeof ROUTES]);
  add(COMMAND, runCommand);
  router.add("GET", "/", (call) => pageFile(call, "index.html", page));
  router.add("GET", "/{file}", (call) => pageFile(call, call.params["file"] ?? "", page));
  return router.answer("There is nothing at this address. See schemas/openapi.json.");
}

function checkRequest(call: Call, route: Route, { signIn }: HandlerOptions): CheckedRequest {
  const { scope } = route;
  const visitor = scope === undefined ? undefined : signIn.visitor(call.incoming);
  if (visitor !== undefined) {
    checkSession(visitor, route, call.params["sessionId"]);
    if (scope !== undefined && scope !== "any") checkScope(visitor, scope);
  }
  return { call, visitor, query: queryOf(call, route.query) };
}

/** Serves only names of the page's files, so that no address can reach another file. */
async function pageFile(call: Call, name: string, page: AppOptions["page"]): Promise<void> {
  const files = await page();
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (file === undefined) throw new Refused(404, "unknown_address", "There is nothing at this address.");
  call.send(file.bytes, 200, { "content-type": file.type });
}
