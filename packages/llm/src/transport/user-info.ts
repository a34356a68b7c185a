// A name and a password in an address, as people write them for servers behind their own proxy: moves them to where the
// server looks for them.

import type { TransportRequest } from "../types/adapter.ts";

/** Moves both into a header, unless the request has another credential, and removes them from the address. */
export function withUserInfo(request: TransportRequest): TransportRequest {
  if (!/^[^/?#]*\/\/[^/?#]*@/.test(request.url)) return request;
  const url = new URL(request.url);
  const pair = [url.username, url.password].map(decodeText).join(":");
  url.username = "";
  url.password = "";
  const hasOther = Object.keys(request.headers).some((name) => name.toLowerCase() === "authorization");
  const bytes = new TextEncoder().encode(pair);
  const headers = hasOther ? {} : { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` };
  return { ...request, url: url.href, headers: { ...request.headers, ...headers } };
}

/** A percent sign that encodes nothing stays as it is. */
function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
