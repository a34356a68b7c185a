// The web as scripted by a test: a proxy that answers for every host and records all requests.

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The text of a page, or a function that answers for it. */
type Page =
  | string
  | Buffer
  | { readonly type: string; readonly body: string | Buffer }
  | ((response: ServerResponse) => void);

export interface FakeWeb {
  /** Variables for a command to use this web. */
  readonly env: Record<string, string>;
  /** Every requested address, with its method and everything that was sent. */
  readonly heard: string[];
  /** By full address, or by host for all of its addresses. */
  readonly pages: Map<string, Page>;
  close(): void;
}

const asHtml = (body: string | Buffer) => ({ type: "text/html", body });

export async function fakeWeb(pages: Readonly<Record<string, Page>> = {}): Promise<FakeWeb> {
  const known = new Map(Object.entries(pages));
  const heard: string[] = [];
  const server = createServer((request, response) => {
    const { url: path = "" } = request;
    // Inside a tunnel, an address starts with its path.
    const url = path.startsWith("/") ? `http://${request.headers.host}${path}` : path;
    let sent = "";
    request.on("data", (chunk: Buffer) => {
      sent += chunk.toString("latin1");
    });
    request.on("end", () => {
      heard.push(`${request.method} ${url}${sent === "" ? "" : ` ${sent}`}`);
      const page = known.get(url) ?? (URL.canParse(url) ? known.get(new URL(url).hostname) : undefined);
      if (typeof page === "function") return page(response);
      const { type, body } = typeof page === "object" && "type" in page ? page : asHtml(page ?? "no such page");
      response.writeHead(page === undefined ? 404 : 200, { "content-type": type }).end(body);
    });
  });
  // A tunnel is recorded. One for plain HTTP, as browsers use, leads to the same pages; others lead nowhere.
  server.on("connect", (request, socket) => {
    heard.push(`CONNECT ${request.url}`);
    if (request.url?.endsWith(":80")) {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      server.emit("connection", socket);
    } else socket.end("HTTP/1.1 502 Nowhere\r\n\r\n");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const proxy = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    env: { HTTP_PROXY: proxy, http_proxy: proxy, HTTPS_PROXY: proxy, https_proxy: proxy, NO_PROXY: "127.0.0.1" },
    heard,
    pages: known,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A page with these links, and enough words to count as a page. */
export const links = (...addresses: readonly string[]): string =>
  `<h1>Links</h1><p>${"words of the page ".repeat(20)}</p>${addresses.map((to) => `<a href="${to}">one</a> `).join("")}`;

export const leadsTo =
  (to: string) =>
  (response: ServerResponse): void =>
    void response.writeHead(302, { location: to }).end();
