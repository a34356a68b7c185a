import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { has } from "../../agent/test/programs.ts";
import { checkNode } from "../src/cli/doctor/checks.ts";
import { type Box, makeBox } from "./sessions-box.ts";
import { saySomething } from "./sessions-fixture.ts";
import { canMount, withTmpfs } from "./tmpfs.ts";

let box: Box;
const SECRET = "sk-very-secret";
const use = (env: Record<string, string>): void => {
  box?.remove();
  box = makeBox(env);
};
beforeEach(() => use({ ANTHROPIC_API_KEY: SECRET }));
afterEach(() => box.remove());

/** The line about one thing, without its padding. */
async function line(name: string): Promise<string> {
  const { stdout } = await box.run("doctor");
  const found = stdout.split("\n").find((row) => row.split(/\s+/)[1] === name);
  return found?.replace(/\s+/g, " ") ?? "";
}

describe("lathe doctor", () => {
  it("is content with a sound installation, and leaves nothing behind", async () => {
    const { code, stdout } = await box.run("doctor");
    expect(stdout).not.toContain("FAIL");
    expect(code).toBe(0);
    expect(readdirSync(box.home)).toEqual([]);
    const names = stdout
      .trim()
      .split("\n")
      .map((row) => row.split(/\s+/)[1]);
    expect(names).toEqual(
      "lathe node home settings models credentials ripgrep git python3 sandbox sqlite tree-sitter keyring debuggers locks".split(
        " ",
      ),
    );
  });

  it.skipIf(!has("bwrap", "nsenter"))("tries the sandbox from a folder below /tmp as well", async () => {
    expect(box.dir.startsWith("/tmp/")).toBe(true);
    expect(await line("sandbox")).toBe("ok sandbox commands can be confined; turn it on with --sandbox");
  });

  it.skipIf(!canMount)("says that the home cannot be written when its disk is full", async () => {
    await withTmpfs(box.home, "16k", async (home) => {
      const full = () => writeFileSync(join(home, "big"), Buffer.alloc(64 << 10));
      expect(full).toThrow("ENOSPC");
      expect(await line("home")).toContain("cannot be written (ENOSPC). Free space there, or set LATHE_HOME");
      expect(readdirSync(home)).toEqual(["big"]);
    });
  });

  it("T-DBG-2 lists the debuggers that are installed", async () => {
    expect(await line("debuggers")).toMatch(/^ok debuggers (.*, )?node\b/);
  });

  it("names the credentials it finds without showing them", async () => {
    const { stdout } = await box.run("doctor");
    expect(stdout).toMatch(/ok +credentials +anthropic \(.*ANTHROPIC_API_KEY.*\)/);
    expect(stdout).not.toContain(SECRET);
  });

  it("says how to get a credential when there is none, which stops nobody", async () => {
    use({});
    expect(await line("credentials")).toMatch(/^-- credentials none\. Run: lathe login/);
    expect((await box.run("doctor")).code).toBe(0);
  });

  it("settings that are wrong are shown with their place", async () => {
    writeFileSync(join(box.home, "config.yml"), "permissionMode: sometimes\n");
    expect(await line("settings")).toMatch(/^FAIL settings .*config\.yml:1.*permissionMode/);
    expect((await box.run("doctor")).code).toBe(1);
  });

  it("a models file that is wrong is shown with its place", async () => {
    writeFileSync(join(box.home, "models.yml"), "providers:\n  acme:\n    baseURL: http://localhost\n");
    expect(await line("models")).toMatch(/^FAIL models .*models\.yml:3/);
  });

  it("a home that cannot be written to is shown with the way out", async () => {
    use({ LATHE_HOME: "/dev/null/lathe" });
    expect(await line("home")).toBe(
      "FAIL home /dev/null/lathe cannot be written (ENOTDIR). Fix its permissions, or set LATHE_HOME to another folder.",
    );
  });

  it("a program that is missing or does not run is shown", async () => {
    use({ PATH: "/nowhere" });
    expect(await line("git")).toMatch(/^-- git not found; .*Install git\./);
    const bin = mkdtempSync(join(tmpdir(), "lathe-bin-"));
    symlinkSync("/bin/false", join(bin, "git"));
    use({ PATH: bin });
    expect(await line("git")).toMatch(/^FAIL git .* does not run: /);
    rmSync(bin, { recursive: true });
  });

  it("locks of processes that are gone are counted", async () => {
    const { path } = await saySomething(box.maker, "hello", "there");
    const owner = { pid: 2 ** 22 + 1, host: hostname(), startTime: "1", token: "t" };
    writeFileSync(`${path}.lock`, JSON.stringify(owner));
    expect(await line("locks")).toContain("stale locks of 1 session,");
    expect(existsSync(`${path}.lock`)).toBe(true);
  });

  it("an old node is refused", () => {
    expect(["18.20.1", "20.18.0", "20.19.0", "22.0.0"].map((version) => checkNode(version).state)).toEqual([
      "wrong",
      "wrong",
      "good",
      "good",
    ]);
  });

  it("takes no arguments", async () => {
    expect(await box.run("doctor", "me")).toMatchObject({ code: 2 });
  });
});
