// Opens the session that an address names: `http://host:port`, or the address of one session. The token comes from the
// environment; without one, a one-time code is exchanged for a cookie, as in a browser. Neither may be in the part of
// the address that servers log.

import { CliError, EXIT, usageError } from "../../platform/usage/exit.ts";
import type { DoorClient } from "../door/door.ts";
import { isLoopback } from "../http/origin.ts";
import { LatheClient, LatheServerError } from "../serve/client.ts";
import type { Attached } from "./attach.ts";
import { ServedDoor } from "./served-door.ts";
import { wrongInAnswer } from "./server-answers.ts";

export interface ServedTarget {
  readonly address: string;
  readonly token: string | undefined;
  /** Asks the user for a one-time code. Absent if no user can be asked. */
  readonly askCode: (() => Promise<string>) | undefined;
  readonly client: DoorClient;
}

export async function servedSession({ address, token, askCode, client }: ServedTarget): Promise<Attached> {
  if (!URL.canParse(address)) throw usageError(`Not an address: ${address}`);
  const url = new URL(address);
  if (url.search !== "" || url.username !== "" || url.password !== "")
    throw usageError("Give the address without a query or a token. Put the token into LATHE_SERVE_TOKEN.");
  if (url.protocol === "http:" && !isLoopback(url.hostname.replace(/^\[|\]$/g, "")))
    throw usageError(
      `http would send your token to ${url.hostname} unencrypted. Use its https address, or an ssh tunnel and http://127.0.0.1:<port>.`,
    );
  const server = url.origin;
  try {
    const lathe =
      token === undefined
        ? await signIn(server, url.hash, askCode)
        : new LatheClient({ url: server, token, check: wrongInAnswer });
    const { name, scopes } = await lathe.me();
    const door = await ServedDoor.open(lathe, await sessionAt(lathe, `${url.pathname}${url.hash}`));
    const watchConnection: Attached["watchConnection"] = (listener) => {
      door.onConnection = listener;
    };
    return { door, client: { ...client, name, scopes: new Set(scopes) }, watchConnection };
  } catch (error) {
    if (!(error instanceof LatheServerError)) throw error;
    const message =
      error.code === "unreachable" ? `No server can be reached at ${server}. Start one: lathe serve` : error.message;
    throw new CliError(error.status === 401 || error.status === 404 ? EXIT.usage : EXIT.failed, message, {
      cause: error,
    });
  }
}

const SESSION_ID = /[0-9a-f]{8}-[0-9a-f-]{27}/i;

async function sessionAt(lathe: LatheClient, path: string): Promise<string> {
  const named = SESSION_ID.exec(path)?.[0];
  if (named !== undefined) return named;
  const { sessions } = await lathe.sessions({ limit: 100 });
  const live = sessions.filter((session) => session.live);
  const [only] = live;
  if (only && live.length === 1) return only.id;
  const listed = (live.length > 0 ? live : sessions).slice(0, 5).map(({ id, title }) => `${id} (${title})`);
  if (listed.length === 0) throw usageError("This server has no sessions yet. Start one on its page.");
  throw usageError(`Add a session to the address: <server>/<session id>. The latest: ${listed.join(", ")}`);
}

async function signIn(url: string, hash: string, askCode: ServedTarget["askCode"]): Promise<LatheClient> {
  const code = /^#code=(\S+)$/.exec(hash)?.[1] ?? (await askCode?.())?.trim();
  if (code === undefined || code === "")
    throw usageError("Set LATHE_SERVE_TOKEN to a token of that server. Make one there: lathe serve token add <name>");
  const lathe = new LatheClient({ url, fetch: fetchWithCookies(), check: wrongInAnswer });
  await lathe.signIn(code);
  return lathe;
}

/** Keeps the server's cookies, as a browser does. */
function fetchWithCookies(): typeof fetch {
  const cookies = new Map<string, string>();
  return async (input, init = {}) => {
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...(init.headers as Record<string, string>), ...(cookie === "" ? {} : { cookie }) };
    const response = await fetch(input, { ...init, headers });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=;]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
}
