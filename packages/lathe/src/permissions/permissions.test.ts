// What a session remembers: answers for good, and what was denied because nobody could be asked.

import type { Access, ApprovalVerdict, CallInfo, PermissionMode, SeamContext, Tier } from "@lathe/agent";
import { describe, expect, it } from "vitest";
import { allowedWith, Permissions } from "./permissions.ts";

const PLACES = { roots: ["/srv/project"], userHome: "/home/me", latheHome: "/home/me/.lathe" };
const write = (path: string): Access => ({ kind: "write", path });

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
      reason: "/tmp/a is outside the working directory.",
    });
  });

  it("that nobody can answer is a denial with the reason and the way out, and is remembered", async () => {
    const unattended = permissions("auto-edit", false);
    await answer(unattended, "shell", "exec", { kind: "exec", command: "ls", cwd: "/srv/project" });
    await answer(unattended, "edit", "write", write("/tmp/a"));
    const reasons = unattended.denied.map(({ reason }) => reason);
    expect(reasons).toEqual([
      "shell needs permission (exec) and nobody can be asked here. It would be allowed with --permission-mode full.",
      "edit needs permission (write) and nobody can be asked here. /tmp/a is outside the working directory. It would be allowed with --add-dir <dir>.",
    ]);
    expect(allowedWith(reasons)).toBe("--permission-mode full");
    expect(allowedWith(reasons.slice(1))).toBe("--add-dir <dir>");
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
});
