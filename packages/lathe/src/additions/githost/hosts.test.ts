import { expect, test } from "vitest";
import { knownHosts, repoOfPage, repoOfRemote, repoOfText } from "./hosts.ts";
import { type TokenPlaces, tokenFor } from "./tokens.ts";

const hosts = knownHosts({ GH_HOST: "ghe.corp.test", GITLAB_HOST: "https://git.corp.test:8443" }, ["octo.ghe.com"]);
const named = (address: string) => {
  const repo = repoOfRemote(address, hosts);
  return repo && `${repo.host.name} ${repo.path} ${repo.host.api}`;
};

test("T-GH-1 every spelling of a remote names its repository; other hosts, paths and tricks name none", () => {
  const hub = "github.com o/r https://api.github.com";
  for (const address of [
    "git@github.com:o/r.git",
    "github.com:o/r",
    "https://github.com/o/r",
    "https://user:secret@github.com/o/r.git/",
    "ssh://git@github.com/o/r.git",
    "ssh://git@ssh.github.com:443/o/r.git",
    "git://github.com/o/r.git",
    "https://GitHub.com/o/r",
  ])
    expect(named(address), address).toBe(hub);
  expect(named("git@ghe.corp.test:team/app.git")).toBe("ghe.corp.test team/app https://ghe.corp.test/api/v3");
  expect(named("https://octo.ghe.com/o/r")).toBe("octo.ghe.com o/r https://api.octo.ghe.com");
  expect(named("https://git.corp.test:8443/a/b/c.git")).toBe(
    "git.corp.test:8443 a/b/c https://git.corp.test:8443/api/v4",
  );
  expect(named("git@gitlab.com:a/b/c.git")).toBe("gitlab.com a/b/c https://gitlab.com/api/v4");
  for (const address of [
    "https://github.com.evil.test/o/r",
    "https://evil.test/github.com/o/r",
    "git@evil.test:o/r",
    "/srv/git/o/r.git",
    "../r.git",
    "file:///srv/o/r.git",
    "https://github.com/o/..",
    "https://github.com/o/r/extra",
    "https://github.com/o",
    "",
  ])
    expect(named(address), address).toBeUndefined();
});

test("T-GH-1 a runner's variables say where the interface is, for the server that they name", () => {
  const onRunner = knownHosts({ GITHUB_SERVER_URL: "https://ghe.test", GITHUB_API_URL: "https://ghe.test/v3/" }, []);
  expect(onRunner.map(({ name, api }) => `${name} ${api}`)).toEqual([
    "ghe.test https://ghe.test/v3",
    "github.com https://api.github.com",
    "gitlab.com https://gitlab.com/api/v4",
  ]);
  const usual = onRunner[0]!;
  expect(repoOfText("o/r", onRunner, usual)?.host.name).toBe("ghe.test");
  expect(repoOfText("github.com/o/r", onRunner, usual)?.host.name).toBe("github.com");
  expect(repoOfText("https://github.com/o/r/pull/5", onRunner, usual)?.path).toBe("o/r");
  expect(repoOfText("just-a-name", onRunner, usual)).toBeUndefined();
  expect(repoOfPage(new URL("https://gitlab.com/g/s/p/-/merge_requests/7"), onRunner)).toMatchObject({
    repo: { path: "g/s/p" },
    rest: ["merge_requests", "7"],
  });
});

test("T-SUB-1 GITHUB_TOKEN comes before GH_TOKEN, then gh's login; no token reaches another host than its own", async () => {
  const places = (env: TokenPlaces["env"], logins: [string, string][] = []): TokenPlaces => ({
    ...{ env, logins: new Map(logins), mainServer: "github.com" },
    askGh: async (host) => `of the keyring for ${host}`,
  });
  const [ghe, hub, , lab] = [hosts[0]!, hosts[1]!, hosts[2]!, hosts.find(({ name }) => name === "gitlab.com")!];
  expect([ghe.name, hub.name]).toEqual(["ghe.corp.test", "github.com"]);
  const both = places({ GITHUB_TOKEN: "a", GH_TOKEN: "b" }, [["github.com", "c"]]);
  expect(await tokenFor(hub, both)).toBe("a");
  expect(await tokenFor(ghe, both)).toBeUndefined();
  expect(await tokenFor(lab, both)).toBeUndefined();
  expect(await tokenFor(hub, places({ GH_TOKEN: "b" }, [["github.com", "c"]]))).toBe("b");
  expect(await tokenFor(hub, places({}, [["github.com", "c"]]))).toBe("c");
  expect(await tokenFor(ghe, places({}, [["ghe.corp.test", ""]]))).toBe("of the keyring for ghe.corp.test");
  expect(await tokenFor(ghe, places({ GH_ENTERPRISE_TOKEN: "e" }))).toBe("e");
  expect(await tokenFor(lab, places({ GITLAB_TOKEN: "l", GITHUB_TOKEN: "a" }))).toBe("l");
  expect(await tokenFor(hub, places({}))).toBeUndefined();
});
