// The memory of a session: lasting answers, and calls that were denied because no user could be asked.

import type { Access, ApprovalVerdict, CallInfo, SeamContext, Tier } from "@lathe/agent";
import type { PermissionMode, Rule } from "@lathe/agent/policy";
import { describe, expect, it } from "vitest";
import { ruleFrom } from "../../config/settings/rules.ts";
import { allowedWith, Permissions } from "./permissions.ts";

const PLACES = { roots: ["/srv/project"], userHome: "/home/me", latheHome: "/home/me/.lathe" };
const write = (path: string): Access => ({ kind: "write", path });
const denying = (text: string): Rule => ruleFrom("deny", text, "--deny");

function permissions(mode: PermissionMode, canAsk: boolean): Permissions {
  return new Permissions({ mode, canAsk, places: PLACES });
}

async function answer(to: Permissions, name: string, tier: Tier, ...access: Access[]): Promise<ApprovalVerdict> {
  const call = { callId: "c1", tool: { name }, tier, access } as unknown as CallInfo;
  const verdict = await to.middleware().approve?.(call, {} as SeamContext);
  if (!verdict) throw new Error("permissions always have an opinion");
  return verdict;
}

describe("always", () => {
  it("covers this tool inside the roots, and neither other tools, nor other places, nor files that run later", async () => {
    const asking = permissions("ask", true);
    expect(await answer(asking, "edit", "write", write("/srv/project/a"))).toMatchObject({ decision: "ask" });
    await asking.remember("tool", { tool: "edit", tier: "write", access: [write("/srv/project/a")] });
    expect(await answer(asking, "edit", "write", write("/srv/project/a"))).toMatchObject({
      decision: "allow",
      by: "always",
    });
    expect(await answer(asking, "write", "write", write("/srv/project/a"))).toMatchObject({ decision: "ask" });
    expect(await answer(asking, "edit", "write", write("/tmp/a"))).toMatchObject({ decision: "ask" });
    expect(await answer(asking, "edit", "write", write("/srv/project/.git/config"))).toMatchObject({
      decision: "ask",
    });
    expect(await answer(asking, "edit", "write")).toMatchObject({ decision: "ask" });
  });

  it("covers no command that leaves the sandbox, and is not offered for one", async () => {
    const sandboxed = new Permissions({ mode: "auto-edit", canAsk: true, places: PLACES, isSandboxed: () => true });
    const run: Access = { kind: "exec", command: "npm test", cwd: "/srv/project", outside: true };
    await sandboxed.remember("tool", { tool: "shell", tier: "exec", access: [run] });
    expect(await answer(sandboxed, "shell", "exec", run)).toMatchObject({ decision: "ask" });
    expect(sandboxed.offersFor({ tool: "shell", tier: "exec", access: [run] })).toEqual({ tool: false });
  });

  it("covers nothing that a rule asks about, and is not offered for a call that has such a part", async () => {
    const rules = [ruleFrom("ask", "write(/srv/project/b)", "--ask")];
    const asking = new Permissions({ mode: "ask", canAsk: true, places: PLACES, rules });
    const both = [write("/srv/project/a"), write("/srv/project/b")];
    expect(asking.offersFor({ tool: "edit", tier: "write", access: both })).toEqual({ tool: false });
    expect(asking.offersFor({ tool: "edit", tier: "write", access: both.slice(0, 1) })).toMatchObject({ tool: true });
    await asking.remember("tool", { tool: "edit", tier: "write", access: both.slice(0, 1) });
    expect(await answer(asking, "edit", "write", ...both)).toMatchObject({ decision: "ask" });
    expect(await answer(asking, "edit", "write", ...both.slice(0, 1))).toMatchObject({ decision: "allow" });
  });

  it("as a pattern names the whole tool only when it does not say what its calls touch", () => {
    const asking = permissions("ask", true);
    const offered = (access?: readonly Access[]): readonly string[] =>
      asking.offersFor({ tool: "custom", tier: "write", access }).pattern ?? [];
    expect(offered()).toEqual(["custom"]);
    expect(offered([write("/srv/project/a")]).join()).not.toContain("custom");
  });

  it("is not needed in a directory that was added", async () => {
    const editing = permissions("auto-edit", true);
    expect(await answer(editing, "edit", "write", write("/srv/other/a"))).toMatchObject({ decision: "ask" });
    editing.addRoot("/srv/other");
    expect(await answer(editing, "edit", "write", write("/srv/other/a"))).toMatchObject({ decision: "allow" });
    expect(editing.roots).toEqual(["/srv/project", "/srv/other"]);
  });

  it("is taken back, and opens no mode that changes nothing", async () => {
    const asking = permissions("ask", true);
    await asking.remember("tool", { tool: "edit", tier: "write", access: [write("/srv/project/a")] });
    asking.mode = "read-only";
    expect(await answer(asking, "edit", "write", write("/srv/project/a"))).toMatchObject({
      decision: "deny",
      by: "mode read-only",
      reason: "This session is read-only: nothing may be changed or run.",
    });
    asking.mode = "ask";
    await asking.forget();
    expect(await answer(asking, "edit", "write", write("/srv/project/a"))).toMatchObject({ decision: "ask" });
  });
});

describe("a question", () => {
  it("says why it is asked", async () => {
    expect(await answer(permissions("auto-edit", true), "edit", "write", write("/tmp/a"))).toMatchObject({
      decision: "ask",
      reason: "/tmp/a is outside the working folders.",
    });
  });

  it("that nobody can answer is a denial with the reason and the way out, and is remembered", async () => {
    const unattended = permissions("auto-edit", false);
    await answer(unattended, "shell", "exec", { kind: "exec", command: "ls", cwd: "/srv/project" });
    await answer(unattended, "edit", "write", write("/tmp/a"));
    const reasons = unattended.denied.map(({ reason }) => reason);
    expect(reasons).toEqual([
      "shell needs permission (exec) and no user can be asked here. It would be allowed with --permission-mode full.",
      "edit needs permission (write) and no user can be asked here. /tmp/a is outside the working folders. It would be allowed with --add-dir <dir>.",
    ]);
    expect(allowedWith(reasons)).toBe("--permission-mode full");
    expect(allowedWith(reasons.slice(1))).toBe("--add-dir <dir>");
    const byRule = "shell needs permission. It would be allowed with --allow 'shell(ls)'.";
    expect(allowedWith([byRule, ...reasons.slice(1)])).toBe("--allow 'shell(ls)' --add-dir <dir>");
    expect(allowedWith([byRule, ...reasons])).toBe("--permission-mode full");
  });
});

describe("a search", () => {
  it("leaves files with keys out, unless it is after them or nothing is asked about", () => {
    const leftOut = (mode: PermissionMode, root: string, filter?: string) =>
      permissions(mode, true).leftOutOfSearch(root, filter);
    const inProject = leftOut("ask", "/srv/project");
    expect(inProject?.("/srv/project/.env")).toBe(true);
    expect(inProject?.("/srv/project/a.ts")).toBe(false);
    expect(leftOut("full", "/srv/project")).toBeUndefined();
    expect(leftOut("ask", "/srv/project/.env")).toBeUndefined();
    expect(leftOut("ask", "/home/me/.ssh")).toBeUndefined();
    expect(leftOut("ask", "/srv/project", ".env")).toBeUndefined();
  });

  it("leaves files out that a rule denies reading, in every mode and also when it is after keys", () => {
    const rules = [denying("read(/srv/project/secret/**)"), denying("write(/srv/project/a.ts)")];
    for (const [mode, root] of [
      ["ask", "/srv/project"],
      ["full", "/srv/project"],
      ["ask", "/srv/project/.env"],
    ] as const) {
      const leftOut = new Permissions({ mode, canAsk: true, places: PLACES, rules }).leftOutOfSearch(root, undefined);
      expect(leftOut?.("/srv/project/secret/a")).toBe(true);
      expect(leftOut?.("/srv/project/a.ts")).toBe(false);
    }
  });
});

describe("plan mode", () => {
  it("is left for the mode before it; a session that began with it edits", () => {
    for (const mode of ["ask", "full", "read-only"] as const) {
      const session = permissions(mode, true);
      session.mode = "plan";
      session.mode = "plan";
      session.leavePlan();
      expect(session.mode).toBe(mode);
    }
    const planning = permissions("plan", true);
    planning.leavePlan();
    expect(planning.mode).toBe("auto-edit");
    planning.mode = "ask";
    planning.leavePlan();
    expect(planning.mode).toBe("ask");
  });
});
