import { expect, it } from "vitest";
import { seatbeltProfile } from "./seatbelt.ts";

it("G the profile for macOS opens the roots, and closes the network, credentials, hooks and settings", () => {
  const rules = {
    roots: () => ["/Users/a/project", '/Users/a/odd "name"'],
    hidden: ["/Users/a/.ssh"],
    fixed: ["/Users/a/.zshrc"],
    fixedNames: [".lathe"],
  };
  expect(seatbeltProfile(rules, "/private/tmp/own")).toMatchInlineSnapshot(`
    "(version 1)
    (allow default)
    (deny network*)
    (allow network* (local ip "localhost:*") (remote ip "localhost:*"))
    (deny file-write*)
    (allow file-write* (subpath "/Users/a/project"))
    (allow file-write* (subpath "/Users/a/odd \\"name\\""))
    (allow file-write* (subpath "/private/tmp/own"))
    (allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/fd/"))
    (deny file-write* (subpath "/Users/a/project/.git/config"))
    (deny file-write* (subpath "/Users/a/project/.git/config.worktree"))
    (deny file-write* (subpath "/Users/a/project/.git/commondir"))
    (deny file-write* (subpath "/Users/a/project/.git/hooks"))
    (deny file-write* (subpath "/Users/a/project/.git/info"))
    (deny file-write* (subpath "/Users/a/project/.git/modules"))
    (deny file-write* (subpath "/Users/a/project/.git/worktrees"))
    (deny file-write* (subpath "/Users/a/odd \\"name\\"/.git/config"))
    (deny file-write* (subpath "/Users/a/odd \\"name\\"/.git/config.worktree"))
    (deny file-write* (subpath "/Users/a/odd \\"name\\"/.git/commondir"))
    (deny file-write* (subpath "/Users/a/odd \\"name\\"/.git/hooks"))
    (deny file-write* (subpath "/Users/a/odd \\"name\\"/.git/info"))
    (deny file-write* (subpath "/Users/a/odd \\"name\\"/.git/modules"))
    (deny file-write* (subpath "/Users/a/odd \\"name\\"/.git/worktrees"))
    (deny file-write* (subpath "/Users/a/project/.lathe"))
    (deny file-write* (subpath "/Users/a/odd \\"name\\"/.lathe"))
    (deny file-write* (subpath "/Users/a/.zshrc"))
    (deny file-read* file-write* (subpath "/Users/a/.ssh"))
    (deny file-write-setugid)
    (deny process-info* (target others))
    (deny signal (target others))
    "
  `);
});
