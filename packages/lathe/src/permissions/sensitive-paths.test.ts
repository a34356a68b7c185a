import { describe, expect, it } from "vitest";
import { isCredentialFile, isInside, isProtected } from "./sensitive-paths.ts";

const PLACES = { userHome: "/home/Me", latheHome: "/opt/lathe-home" };

describe("files that make something run later", () => {
  it.each([
    "/srv/p/.git/hooks/pre-commit",
    "/srv/p/.git",
    "/srv/p/.GIT/config",
    "/srv/p/.lathe/config.yml",
    "/srv/p/sub/.vscode/tasks.json",
    "/srv/p/.env",
    "/srv/p/.envrc",
    "/srv/p/.npmrc",
    "/home/Me/.bashrc",
    "/home/Me/.Bashrc",
    "/home/Me/.config/autostart/x.desktop",
    "/home/Me/.local/bin/ls",
    "/home/me/.config/x",
    "/home/Me/bin/ls",
    "/opt/lathe-home/config.yml",
    "/opt/lathe-home",
  ])("%s is protected", (path) => expect(isProtected(path, PLACES)).toBe(true));

  it.each([
    "/srv/p/src/git/hooks.ts",
    "/srv/p/.gitignore",
    "/srv/p/.github/workflows/ci.yml",
    "/srv/p/bashrc",
    "/srv/p/.bashrc.d/x",
    "/srv/p/bin/ls",
    "/srv/p/.config/x",
    "/home/Me/bin2/ls",
    "/home/Mela/.config/x",
    "/opt/lathe-home-2/x",
  ])("%s is not", (path) => expect(isProtected(path, PLACES)).toBe(false));
});

describe("files that hold keys", () => {
  it.each([
    "/srv/p/.env",
    "/srv/p/.env.production",
    "/srv/p/.ENV",
    "/home/Me/.ssh/id_ed25519",
    "/home/Me/.ssh/work",
    "/home/Me/.aws/credentials",
    "/home/Me/.config/gh/hosts.yml",
    "/home/Me/.netrc",
    "/srv/p/server.pem",
    "/opt/lathe-home/auth.json",
  ])("%s is one", (path) => expect(isCredentialFile(path, PLACES)).toBe(true));

  it.each([
    "/srv/p/.env.example",
    "/srv/p/env",
    "/srv/p/x.env",
    "/srv/p/.envrc",
    "/home/Me/.ssh/config",
    "/home/Me/.ssh/id_ed25519.pub",
    "/home/Me/.aws/config",
    "/srv/p/pem",
    "/srv/p/auth.json",
    "/opt/lathe-home/config.yml",
  ])("%s is none", (path) => expect(isCredentialFile(path, PLACES)).toBe(false));
});

describe("inside", () => {
  it.each([
    ["/a", "/a", true],
    ["/a/b", "/a", true],
    ["/a/b", "/a/", true],
    ["/ab", "/a", false],
    ["/", "/a", false],
    ["/anything", "/", true],
  ])("%s of %s: %s", (path, directory, expected) => expect(isInside(path, directory)).toBe(expected));
});
