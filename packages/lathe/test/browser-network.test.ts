// What a page can reach: every notation of an internal address, by every way that a browser has. The tab's own list of
// hosts allows all of them here, so that only the gate and the confinement stop it.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { webGate } from "@lathe/agent/files";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  hopServer,
  hostileAddresses,
  lookUpHostile,
  type Recorders,
  startRecorders,
} from "../../agent/test/support/hostile-addresses.ts";
import { type BrowserBench, browserBench, HAS_BROWSER, serve } from "./browser-kit.ts";

const isLong = process.env["LATHE_LONG"] !== undefined;
/** How many of the addresses a short run tries: one of each so many. */
const EVERY = isLong ? 1 : 20;

/** Tries each address in each way; its title says when all have ended. `?` leads to the addresses. */
const PROBE = `<title>busy</title><script type="module">
const addresses = JSON.parse(decodeURIComponent(location.search.slice(1)));
const settled = (work) => Promise.race([work.catch(() => {}), new Promise((go) => setTimeout(go, 3000))]);
const added = (name, set) => new Promise((go) => { const e = document.createElement(name); e.onload = e.onerror = go; set(e); document.body.append(e); });
const inWorker = (url) => new Promise((go) => {
  const text = "fetch(" + JSON.stringify(url) + ",{mode:'no-cors'}).finally(()=>postMessage(0));new WebSocket(" + JSON.stringify(url.replace(/^http/, "ws")) + ")";
  new Worker(URL.createObjectURL(new Blob([text]))).onmessage = go;
});
const socket = (url) => new Promise((go) => { const s = new WebSocket(url.replace(/^http/, "ws")); s.onopen = s.onerror = s.onclose = go; });
const peer = async (url) => {
  const { host } = new URL(url);
  const p = new RTCPeerConnection({ iceServers: [{ urls: "stun:" + host }, { urls: "turn:" + host + "?transport=tcp", username: "u", credential: "c" }] });
  p.createDataChannel("x");
  await p.setLocalDescription(await p.createOffer());
  await new Promise((go) => { p.onicegatheringstatechange = () => p.iceGatheringState === "complete" && go(); });
};
const ways = (url) => [
  fetch(url + "?fetch", { mode: "no-cors", method: "POST", body: "x" }),
  added("iframe", (e) => { e.src = url + "?frame"; }),
  added("img", (e) => { e.src = url + "?image"; }),
  added("link", (e) => { e.rel = "prefetch"; e.href = url + "?prefetch"; }),
  added("script", (e) => { e.src = url + "?script"; }),
  Promise.resolve(navigator.sendBeacon(url + "?beacon", "x")),
  inWorker(url + "?worker"), socket(url + "?socket"), peer(url),
];
await Promise.all(addresses.flatMap((url) => ways(url).map(settled)));
document.title = "done";
</script><body>`;

/** Pages of the machine and of the browser: what a page gets to see of them is in its title. */
const LOCAL = `<title>busy</title><script type="module">
const seen = [];
const frame = (src) => new Promise((go) => { const e = document.createElement("iframe"); e.src = src; e.onload = e.onerror = () => { try { seen.push(e.contentDocument?.body?.innerText || "") } catch {} go(); }; document.body.append(e); setTimeout(go, 1000); });
const look = async (url) => {
  await fetch(url).then((r) => r.text()).then((t) => seen.push(t), () => {});
  await frame(url);
  const opened = window.open(url); try { seen.push(opened?.document?.body?.innerText || "") } catch {}
};
await Promise.all(["file:///etc/hostname", "file:///proc/self/environ", "view-source:file:///etc/hostname", "chrome://version", "chrome://net-export"].map(look));
document.title = "saw:" + seen.join("");
</script><body>`;

describe.skipIf(!HAS_BROWSER)("what a page can reach (needs chromium and bubblewrap)", () => {
  let recorders: Recorders;
  let at: BrowserBench;
  let own: string;
  const hops = hopServer();
  beforeAll(async () => {
    recorders = await startRecorders();
    await once(hops.listen(0, "127.0.0.1"), "listening");
    at = await browserBench({ isAllowed: () => true, gate: (env) => webGate({ env, lookUp: lookUpHostile }) });
    own = `http://localhost:${await serve(at.env, { "/probe": { html: PROBE }, "/local": { html: LOCAL }, "/page": { html: "" } })}`;
  });
  afterAll(async () => {
    await at.close();
    hops.close();
    hops.closeAllConnections();
    recorders.close();
  });

  const title = async (name: string, wanted: RegExp): Promise<string> => {
    const { page } = at.tabs.tabNamed(name);
    await page.waitForFunction(
      (source) => new RegExp(source).test(document.title),
      { timeout: 120_000 },
      wanted.source,
    );
    return page.title();
  };

  it("T-BRW-1 no notation of an address inside is reached, by frame, fetch, socket, worker, WebRTC, prefetch or navigation", async () => {
    const origin = `http://localhost:${(hops.address() as AddressInfo).port}`;
    at.services.web!.gate.openTyped(origin);
    const addresses = hostileAddresses(recorders.port, origin).filter((_address, index) => index % EVERY === 0);
    for (const address of addresses)
      expect(await at.say({ action: "open", name: "go", url: address }), address).toMatch(
        /could not be opened|is not an address/,
      );
    for (let from = 0; from < addresses.length; from += 8) {
      const some = encodeURIComponent(JSON.stringify(addresses.slice(from, from + 8)));
      await at.say({ action: "open", name: "probe", url: `${own}/probe?${some}` });
      await title("probe", /^done/);
    }
    expect(recorders.heard).toEqual([]);
  });

  it("T-BRW-1 each of these ways reaches a server of the session, so that they are tried for real", async () => {
    const page = `${own.replace("localhost", "127.0.0.1")}/page`;
    await at.say({ action: "open", name: "own", url: `${own}/probe?${encodeURIComponent(JSON.stringify([page]))}` });
    await title("own", /^done/);
    const asked = await at.tabs.tabNamed("own").page.evaluate(() => fetch("/asked").then((answer) => answer.text()));
    for (const way of ["fetch", "frame", "image", "prefetch", "script", "beacon", "worker", "socket"])
      expect(asked.split(" "), asked).toContain(`/page?${way}`);
  });

  it("T-BRW-1 pages see nothing of file:, view-source: and chrome: addresses", async () => {
    await at.say({ action: "open", name: "local", url: `${own}/local` });
    expect(await title("local", /^saw:/)).toBe("saw:");
  });
});
