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
      // Addresses are compared without what follows the #, which is never sent.
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

it("T-BRW-1 only the first page of a tab that no script has used may load from anywhere", async () => {
  const judge = {
    isLoopback: async (host: string) => host === "localhost",
    isOwn: async (host: string) => host === "localhost",
    isAllowed: (host: string) => host === "allowed.example",
    isShown: (url: string) => url === SHOWN,
  };
  const reaches = async (hosts: TabHosts): Promise<boolean> => {
    await hosts.begin(new URL(SHOWN));
    return (await hosts.refuse("evil.example", 80)) === undefined;
  };
  expect(await reaches(new TabHosts(judge))).toBe(true);
  const [afterPage, afterScript] = [new TabHosts(judge), new TabHosts(judge)];
  // A page of the same host whose address holds a secret can leave it in the storage that both share.
  await afterPage.begin(new URL(`${SHOWN}?secret`));
  afterPage.endFirstLoad();
  expect(await reaches(afterPage)).toBe(false);
  afterScript.touch();
  expect(await reaches(afterScript)).toBe(false);
});

it("T-BRW-1 a rule that allows the loopback is for its own pages, not for pages of the web", async () => {
  const judge = {
    isLoopback: async (host: string) => host === "localhost",
    isOwn: async () => false,
    isAllowed: () => true,
    isShown: () => false,
  };
  const [ofWeb, local] = [new TabHosts(judge), new TabHosts(judge)];
  await ofWeb.begin(new URL("http://news.example/"));
  expect(await ofWeb.refuse("localhost", 5432)).toContain("was not opened for this host");
  await local.begin(new URL("http://localhost:3000/"));
  expect(await local.refuse("localhost", 5432)).toBeUndefined();
});
