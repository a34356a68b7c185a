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

/** What it says, by the thing that a line is about, without padding. */
async function doctor(): Promise<{ readonly code: number | null; readonly lines: Record<string, string> }> {
  const { code, stdout } = await box.run("doctor");
  expect(stdout).not.toContain(SECRET);
  const rows = stdout.trim().split("\n");
  return { code, lines: Object.fromEntries(rows.map((row) => [row.split(/\s+/)[1], row.replace(/\s+/g, " ")])) };
}

describe("lathe doctor", () => {
  it("T-DBG-2 is content with a sound installation, names credentials without showing them, and leaves nothing behind", async () => {
    const { code, lines } = await doctor();
    expect(Object.values(lines).join("\n")).not.toContain("FAIL");
    expect(code).toBe(0);
    expect(readdirSync(box.home)).toEqual([]);
    expect(Object.keys(lines)).toEqual(
      "lathe node home settings models credentials web ripgrep git python3 sandbox sqlite tree-sitter keyring debuggers locks".split(
        " ",
      ),
    );
    expect(lines["credentials"]).toMatch(/^ok credentials anthropic \(.*ANTHROPIC_API_KEY.*\)/);
    expect(lines["debuggers"]).toMatch(/^ok debuggers (.*, )?node\b/);
    // The sandbox is tried from a folder below /tmp as well.
    expect(box.dir.startsWith("/tmp/")).toBe(true);
    if (has("bwrap", "nsenter"))
      expect(lines["sandbox"]).toBe("ok sandbox commands can be confined; turn it on with --sandbox");
  });

  it.skipIf(!canMount)("says that the home cannot be written when its disk is full", async () => {
    await withTmpfs(box.home, "16k", async (home) => {
      const full = () => writeFileSync(join(home, "big"), Buffer.alloc(64 << 10));
      expect(full).toThrow("ENOSPC");
      const { lines } = await doctor();
      expect(lines["home"]).toContain("cannot be written (ENOSPC). Free space there, or set LATHE_HOME");
      expect(readdirSync(home)).toEqual(["big"]);
    });
  });

  it("says how to get a credential when there is none, and counts locks of processes that are gone, which stops nobody", async () => {
    use({});
    const { path } = await saySomething(box.maker, "hello", "there");
    const owner = { pid: 2 ** 22 + 1, host: hostname(), startTime: "1", token: "t" };
    writeFileSync(`${path}.lock`, JSON.stringify(owner));
    const { code, lines } = await doctor();
    expect(lines["credentials"]).toMatch(/^-- credentials none\. Run: lathe login/);
    expect(lines["locks"]).toContain("stale locks of 1 session,");
    expect(existsSync(`${path}.lock`)).toBe(true);
    expect(code).toBe(0);
  });

  it("settings and a models file that are wrong are shown with their place", async () => {
    writeFileSync(join(box.home, "config.yml"), "permissionMode: sometimes\n");
    writeFileSync(join(box.home, "models.yml"), "providers:\n  acme:\n    baseURL: http://localhost\n");
    const { code, lines } = await doctor();
    expect(lines["settings"]).toMatch(/^FAIL settings .*config\.yml:1.*permissionMode/);
    expect(lines["models"]).toMatch(/^FAIL models .*models\.yml:3/);
    expect(code).toBe(1);
  });

  it("a home that cannot be written to is shown with the way out, a program that is missing or does not run too", async () => {
    use({ LATHE_HOME: "/dev/null/lathe", PATH: "/nowhere" });
    const { lines } = await doctor();
    expect(lines["home"]).toBe(
      "FAIL home /dev/null/lathe cannot be written (ENOTDIR). Fix its permissions, or set LATHE_HOME to another folder.",
    );
    expect(lines["git"]).toMatch(/^-- git not found; .*Install git\./);
    const bin = mkdtempSync(join(tmpdir(), "lathe-bin-"));
    symlinkSync("/bin/false", join(bin, "git"));
    use({ PATH: bin });
    expect((await doctor()).lines["git"]).toMatch(/^FAIL git .* does not run: /);
    rmSync(bin, { recursive: true });
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
