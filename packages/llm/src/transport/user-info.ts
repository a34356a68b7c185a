// A name and a password in an address, as servers behind a proxy of their own are given: they go where the server looks for them.

import type { TransportRequest } from "../types/adapter.ts";

/** The same request with both in a header, unless it has another credential, and not in its address. */
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

/** A percent sign that encodes nothing is literal. */
function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
