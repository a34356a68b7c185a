// Who needs approval for what: every mode against everything that a call can touch.

import { describe, expect, it } from "vitest";
import type { Access, Tier } from "../../contract/tool.ts";
import { type JudgedCall, judge, staysInside } from "./judge.ts";
import { PERMISSION_MODES, type PermissionMode } from "./verdict.ts";

const PLACES = { roots: ["/srv/project", "/srv/shared"], userHome: "/home/me", latheHome: "/home/me/.lathe" };

const read = (path: string): Access => ({ kind: "read", path });
const write = (path: string): Access => ({ kind: "write", path });
const search = (path: string, filter?: string): Access => ({
  kind: "read",
  path,
  search: true,
  ...(filter === undefined ? {} : { filter }),
});
const exec = (command: string, cwd = "/srv/project"): Access => ({ kind: "exec", command, cwd });
const network: Access = { kind: "network", host: "example.com" };
const address = (isWritten: boolean): Access => ({ kind: "address", url: "note://1", write: isWritten });

interface Row {
  readonly what: string;
  readonly tier: Tier;
  readonly access: readonly Access[] | undefined;
  /** In mode order: read-only, ask, auto-edit, full, plan. */
  readonly decisions: string;
  readonly inside: boolean;
}

const ROWS: readonly Row[] = [
  {
    what: "a value of a secret where it does not belong, whatever the mode",
    tier: "exec",
    access: [{ kind: "secret", name: "KEY", reason: "It would give the command the value of KEY." }],
    decisions: "ask ask ask ask ask",
    inside: false,
  },
  {
    what: "reading a file",
    tier: "read",
    access: [read("/etc/hosts")],
    decisions: "allow allow allow allow allow",
    inside: true,
  },
  {
    what: "reading nothing in particular",
    tier: "read",
    access: [],
    decisions: "allow allow allow allow allow",
    inside: true,
  },
  {
    what: "a reading tool that says nothing",
    tier: "read",
    access: undefined,
    decisions: "allow allow allow allow allow",
    inside: false,
  },
  {
    what: "reading keys",
    tier: "read",
    access: [read("/srv/project/.env")],
    decisions: "ask ask ask allow ask",
    inside: false,
  },
  {
    what: "reading keys among other files",
    tier: "read",
    access: [read("/a"), read("/b/.env"), read("/c")],
    decisions: "ask ask ask allow ask",
    inside: false,
  },
  {
    what: "writing in the project",
    tier: "write",
    access: [write("/srv/project/a.ts")],
    decisions: "deny ask allow allow deny",
    inside: true,
  },
  {
    what: "writing in another root",
    tier: "write",
    access: [write("/srv/shared/a.ts")],
    decisions: "deny ask allow allow deny",
    inside: true,
  },
  {
    what: "writing beside a root whose name begins alike",
    tier: "write",
    access: [write("/srv/project-2/a.ts")],
    decisions: "deny ask ask allow deny",
    inside: false,
  },
  {
    what: "writing outside",
    tier: "write",
    access: [write("/tmp/a")],
    decisions: "deny ask ask allow deny",
    inside: false,
  },
  {
    what: "writing one file inside and one outside",
    tier: "write",
    access: [write("/srv/project/a"), write("/tmp/a")],
    decisions: "deny ask ask allow deny",
    inside: false,
  },
  {
    what: "writing a git hook in the project",
    tier: "write",
    access: [write("/srv/project/.git/hooks/pre-commit")],
    decisions: "deny ask ask allow deny",
    inside: false,
  },
  {
    what: "editing: it reads what it writes",
    tier: "write",
    access: [read("/srv/project/a"), write("/srv/project/a")],
    decisions: "deny ask allow allow deny",
    inside: true,
  },
  {
    what: "a writing tool that says nothing",
    tier: "write",
    access: undefined,
    decisions: "deny ask ask allow deny",
    inside: false,
  },
  {
    what: "a writing tool that only names what it reads",
    tier: "write",
    access: [read("/srv/project/a")],
    decisions: "deny ask ask allow deny",
    inside: false,
  },
  { what: "running a command", tier: "exec", access: [exec("ls")], decisions: "deny ask ask allow deny", inside: true },
  {
    what: "running a command elsewhere",
    tier: "exec",
    access: [exec("ls", "/")],
    decisions: "deny ask ask allow deny",
    inside: false,
  },
  {
    what: "a running tool that says nothing",
    tier: "exec",
    access: undefined,
    decisions: "deny ask ask allow deny",
    inside: false,
  },
  { what: "fetching a page", tier: "network", access: [network], decisions: "deny ask ask allow deny", inside: true },
  {
    what: "reading an address",
    tier: "read",
    access: [address(false)],
    decisions: "allow allow allow allow allow",
    inside: true,
  },
  {
    what: "a writing tool that only names an address it reads",
    tier: "write",
    access: [address(false)],
    decisions: "deny ask ask allow deny",
    inside: false,
  },
  {
    what: "searching the project",
    tier: "read",
    access: [search("/srv/project")],
    decisions: "allow allow allow allow allow",
    inside: true,
  },
  {
    what: "searching where keys are kept",
    tier: "read",
    access: [search("/home/me/.ssh")],
    decisions: "ask ask ask allow ask",
    inside: false,
  },
  {
    what: "searching the project's key files",
    tier: "read",
    access: [search("/srv/project", ".env")],
    decisions: "ask ask ask allow ask",
    inside: false,
  },
  {
    what: "writing an address",
    tier: "write",
    access: [address(true)],
    decisions: "deny ask ask allow deny",
    inside: false,
  },
];

describe("what may happen without asking", () => {
  it.each(ROWS)("$what: $decisions", ({ tier, access, decisions, inside }) => {
    const judged = PERMISSION_MODES.map(
      (mode) => judge({ tier, access }, { mode, rules: [], places: PLACES }).decision,
    );
    expect(judged.join(" ")).toBe(decisions);
    expect(staysInside({ tier, access }, PLACES)).toBe(inside);
  });

  it("says why, and which option would have allowed it", () => {
    const judgeIn = (mode: PermissionMode, call: JudgedCall) => {
      const { parts: _parts, ...verdict } = judge(call, { mode, rules: [], places: PLACES });
      return verdict;
    };
    const why = (mode: PermissionMode, tier: Tier, ...access: Access[]) => judgeIn(mode, { tier, access });
    expect(why("read-only", "write", write("/srv/project/a"))).toEqual({
      decision: "deny",
      reason: "This session is read-only: nothing may be changed or run.",
    });
    expect(why("plan", "exec", exec("ls")).reason).toMatch(/^Plan mode is on/);
    expect(why("ask", "write", write("/srv/project/a"))).toEqual({
      decision: "ask",
      allowWith: "--permission-mode auto-edit",
    });
    expect(why("auto-edit", "write", write("/tmp/a"))).toEqual({
      decision: "ask",
      reason: "/tmp/a is outside the working folders.",
      allowWith: "--add-dir <dir>",
    });
    expect(why("auto-edit", "write", write("/srv/project/.git/config"))).toMatchObject({
      reason: "A change to /srv/project/.git/config can make programs run later: git reads it.",
      allowWith: "--permission-mode full",
    });
    expect(why("auto-edit", "read", read("/home/me/.ssh/id_rsa"))).toMatchObject({
      reason: "/home/me/.ssh/id_rsa may hold keys or passwords.",
      allowWith: "--permission-mode full",
    });
    expect(why("ask", "write", write("/tmp/a"))).toMatchObject({ allowWith: "--permission-mode full" });
    expect(why("auto-edit", "exec", exec("ls"))).toEqual({ decision: "ask", allowWith: "--permission-mode full" });
    expect(why("ask", "write", address(true)).reason).toBe(
      "note://1 is written by its provider, outside Lathe's control.",
    );
    expect(judgeIn("ask", { tier: "exec", access: undefined }).reason).toBe(
      "The tool does not declare what it accesses.",
    );
  });

  it("says why it asks if one of two questions with the same option has a reason, whatever comes first", () => {
    const agent: Access = { kind: "exec", command: "look", cwd: "/srv/project", isAgent: true };
    const key = read("/home/me/.ssh/id_rsa");
    for (const access of [
      [agent, key],
      [key, agent],
    ])
      expect(judge({ tier: "exec", access }, { mode: "ask", rules: [], places: PLACES }).reason).toBe(
        "/home/me/.ssh/id_rsa may hold keys or passwords.",
      );
  });

  it("names an option that allows everything the call asks about, whatever comes first", () => {
    const outside = write("/tmp/a");
    const hook = write("/srv/project/.git/hooks/x");
    for (const access of [
      [outside, hook],
      [hook, outside],
    ])
      expect(judge({ tier: "write", access }, { mode: "auto-edit", rules: [], places: PLACES }).allowWith).toBe(
        "--permission-mode full",
      );
  });
});
