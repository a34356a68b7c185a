import { expect, it } from "vitest";
import { TabHosts } from "./tab-hosts.ts";

const SHOWN = "http://allowed.example/page";

it.each([
  ["an address that was shown", SHOWN, true],
  ["another one", `${SHOWN}?k=secret`, false],
  ["one that was shown, with something behind the # for the page's scripts", `${SHOWN}#secret`, false],
])(
  "T-BRW-1 where a rule allows the host, the first load may come from anywhere only for exactly %s",
  async (_what, address, isOpen) => {
    const hosts = new TabHosts({
      isLoopback: async () => false,
      isOwn: async () => false,
      isAllowed: (host) => host === "allowed.example",
      // As addresses are compared: what follows the # is never sent.
      isShown: (url) => url.replace(/#.*/, "") === SHOWN,
    });
    await hosts.begin(new URL(address));
    expect((await hosts.refuse("cdn.example", 443)) === undefined).toBe(isOpen);
    hosts.endFirstLoad();
    expect(await hosts.refuse("later.example", 443)).toBeDefined();
  },
);

it("T-BRW-1 a page of the web reaches no port of the loopback in its first load, by whatever name the loopback is called", async () => {
  const hosts = new TabHosts({
    isLoopback: async (host) => ["localhost", "0.0.0.0", "192.0.2.7", "devbox"].includes(host),
    isOwn: async () => false,
    isAllowed: () => false,
    isShown: () => false,
  });
  await hosts.begin(new URL("http://news.example/"));
  for (const host of ["localhost", "0.0.0.0", "192.0.2.7", "devbox"])
    expect(await hosts.refuse(host, 5432)).toContain("was not opened for this host");
  expect(await hosts.refuse("cdn.example", 443)).toBeUndefined();
});
