import { describe, expect, it } from "vitest";
import { credentialStores } from "../../world/env/sandbox/credential-stores.ts";
import { isCredentialFile, isInside, isProtected, protectionOf, searchesCredentials } from "./sensitive-paths.ts";

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
    "/opt/lathe-home/wt/app-0123456789/pr-1/.github/workflows/ci.yml",
    "/opt/lathe-home/wt/app-0123456789/pr-1/.lathe/config.yml",
    "/home/Me/.tmux.conf",
    "/home/Me/.direnvrc",
    "/home/Me/.cargo/config.toml",
    "/srv/p/.cargo/config",
    "/home/Me/.yarnrc.yml",
    "/home/Me/.kube/config",
    "/home/Me/.pypirc",
    "/srv/p/.pre-commit-config.yaml",
    "/srv/p/.github/workflows/ci.yml",
    "/srv/p/.gitlab-ci.yml",
    "/srv/p/Jenkinsfile",
    "/srv/p/.gitattributes",
    "/srv/p/lib/nested/.git/info/attributes",
    "/srv/p/lib/nested/.git/rebase-merge/git-rebase-todo",
    "/srv/p/.git/sequencer/todo",
    "/srv/p/.gitmodules",
    "/srv/p/.zed/tasks.json",
    "/srv/p/app.code-workspace",
    "/srv/p/.idea/runConfigurations/x.xml",
    "/srv/p/.run/x.run.xml",
    "/srv/p/.exrc",
    "/srv/p/.nvim.lua",
    "/srv/p/.dir-locals.el",
    "/srv/p/mise.toml",
    "/srv/p/pip.conf",
    "/srv/p/.pnpmfile.cjs",
    "/srv/p/.yarn/releases/yarn.cjs",
    "/srv/p/bunfig.toml",
    "/srv/p/.bundle/config",
    "/srv/p/.mvn/jvm.config",
    "/srv/p/.gdbinit",
    "/srv/p/.hg/hgrc",
    "/srv/p/.jj/config",
    "/srv/p/.pnp.cjs",
    "/srv/p/pnpmfile.cjs",
    "/srv/p/node_modules/.bin/tsc",
    "/srv/p/.ripgreprc",
    "/srv/p/.bazelrc",
    "/srv/p/.Renviron",
    "/srv/p/.rspec",
    "/srv/p/.tool-versions",
    "/srv/p/.autoenv.zsh",
    "/srv/p/sitecustomize.py",
    "/srv/p/venv/lib/python3.12/site-packages/x.pth",
    "/srv/p/.gitlab/deploy.gitlab-ci.yml",
    "/home/Me/.aws/config",
    "/etc/cron.d/x",
  ])("%s is protected", (path) => expect(isProtected(path, PLACES)).toBe(true));

  it.each([
    "/srv/p/src/git/hooks.ts",
    "/srv/p/.gitignore",
    "/srv/p/.github/dependabot.yml",
    "/srv/p/bashrc",
    "/srv/p/package.json",
    "/srv/p/Makefile",
    "/srv/p/conftest.py",
    "/srv/p/models/weights.pth",
    "/srv/p/Cargo.toml",
    "/srv/p/.aws/x",
    "/srv/p/etc/cron.d/x",
    "/srv/p/.bashrc.d/x",
    "/srv/p/bin/ls",
    "/srv/p/.config/x",
    "/home/Me/bin2/ls",
    "/home/Mela/.config/x",
    "/opt/lathe-home-2/x",
    "/opt/lathe-home/wt/app-0123456789/pr-1/src/main.ts",
  ])("%s is not", (path) => expect(isProtected(path, PLACES)).toBe(false));
});

it("a question about such a file names the program that acts on it", () => {
  expect(protectionOf("/srv/p/.envrc", PLACES)).toBe(
    "A change to /srv/p/.envrc can make programs run later: direnv reads it.",
  );
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
    "/home/Me/.npmrc",
    "/home/Me/.cargo/credentials",
    "/home/Me/.cargo/credentials.toml",
    "/home/Me/.terraform.d/credentials.tfrc.json",
    "/home/Me/.codex/auth.json",
    "/home/Me/.claude/.credentials.json",
    "/home/Me/.gem/credentials",
    "/home/Me/.composer/auth.json",
    "/home/Me/.m2/settings.xml",
    "/home/Me/.config/hub",
    "/home/Me/.config/rclone/rclone.conf",
    "/home/Me/.s3cfg",
    "/home/Me/.local/share/fish/fish_history",
    "/home/Me/.zsh_history",
    "/home/Me/.histfile",
    "/home/Me/.ksh_history",
    "/home/Me/.config/nushell/history.sqlite3",
    "/home/Me/.local/share/powershell/PSReadLine/ConsoleHost_history.txt",
    "/home/Me/.local/share/opencode/auth.json",
    "/home/Me/.gemini/oauth_creds.json",
    "/home/Me/.config/glab-cli/config.yml",
    "/home/Me/.config/github-copilot/apps.json",
    "/home/Me/.config/containers/auth.json",
    "/run/user/1000/containers/auth.json",
    "/home/Me/.cache/huggingface/token",
    "/home/Me/.huggingface/token",
    "/home/Me/.dockercfg",
    "/home/Me/.mylogin.cnf",
    "/home/Me/.boto",
    "/home/Me/.databrickscfg",
    "/home/Me/.local/share/keyrings/login.keyring",
    "/home/Me/.mozilla/firefox/x.default/logins.json",
    "/home/Me/.config/google-chrome/Default/Login Data",
    "/home/Me/.config/chromium/Default/Network/Cookies",
    "/home/Me/Library/Application Support/Google/Chrome/Default/Login Data",
    "/etc/shadow",
    "/proc/12/environ",
    "/opt/lathe-home/auth.json",
    "/opt/lathe-home/auth-broker.token",
    "/opt/lathe-home/auth-gateway.token",
    "/opt/lathe-home/broker/vault.json",
    "/opt/lathe-home/cache/auth-broker-snapshot.enc",
    "/opt/lathe-home/auth.json.old",
    "/opt/lathe-home/models.yml",
    "/opt/lathe-home/models.json",
    "/opt/lathe-home/mcp.json",
    "/opt/lathe-home/oauth.yml",
    "/opt/lathe-home/history.db-wal",
    "/opt/lathe-home/blobs/0a1b",
    "/opt/lathe-home/sessions/--srv-p--/1.jsonl",
    "/opt/lathe-home/locks/.1-2.lock",
    "/opt/lathe-home/serve/tokens.json",
    "/srv/p/prod.env",
    "/srv/p/deploy/x.env",
    "/srv/p/credentials.json",
    "/srv/p/config/secrets.yml",
    "/srv/p/.streamlit/secrets.toml",
    "/srv/p/client_secret_1.apps.json",
    "/srv/p/service-account.json",
    "/srv/p/server.key",
    "/srv/p/certs/private.key",
    "/srv/p/example.com.key",
    "/srv/p/tls-prod.key",
    "/srv/p/config/master.key",
    "/srv/p/login.ppk",
    "/srv/p/id_rsa.bak",
    "/srv/p/id_ed25519_work",
    "/home/Me/.config/git/credentials",
    "/etc/ssh/ssh_host_ed25519_key",
    "/etc/ssl/private/site.pem",
    "/dev/sda",
    "/dev/vda1",
    "/dev/nvme0n1p2",
    "/dev/mem",
    "/proc/kcore",
    "/proc/self/mem",
  ])("%s is one", (path) => expect(isCredentialFile(path, PLACES)).toBe(true));

  it.each([
    "/srv/p/.env.example",
    "/srv/p/env",
    "/srv/p/example.env",
    "/srv/p/prod.example.env",
    "/srv/p/.envrc",
    "/srv/p/i18n/messages.key",
    "/srv/p/node_modules/a/en.key",
    "/srv/p/monkey.key",
    "/srv/p/src/credentials.ts",
    "/srv/p/chart/templates/secrets.yaml",
    "/srv/p/id_rsa.pub",
    "/srv/p/id_ed25519_test.go",
    "/etc/ssh/ssh_host_ed25519_key.pub",
    "/dev/null",
    "/dev/shm/x",
    "/proc/meminfo",
    "/opt/lathe-home/skills/review/SKILL.md",
    "/opt/lathe-home/wt/app-0123456789/pr-1/sessions/a.ts",
    "/opt/lathe-home/views/a/src/b.ts",
    "/home/Me/.ssh/config",
    "/home/Me/.ssh/id_ed25519.pub",
    "/home/Me/.aws/config",
    "/srv/p/pem",
    "/srv/p/auth.json",
    "/srv/p/src/containers/auth.ts",
    "/srv/p/src/history.txt",
    "/srv/p/opencode/config.json",
    "/home/Me/.cache/huggingface/hub/model/config.json",
    "/home/Me/.config/fish/config.fish",
    "/home/Me/.config/containers/registries.conf",
    // As long as Lathe's home up to the name.
    "/srv/my-project/auth.ts",
    "/srv/p/.npmrc",
    "/srv/p/.cargo/config.toml",
    "/srv/p/firefox/src/cookies.ts",
    "/srv/p/chromium/cookies.ts",
    "/etc/passwd",
    "/opt/lathe-home/config.yml",
    "/opt/lathe-home/rules/mcp.json",
    "/srv/p/.lathe/models.yml",
    "/srv/p/.lathe/mcp.json",
    "/srv/p/.mcp.json",
  ])("%s is none", (path) => expect(isCredentialFile(path, PLACES)).toBe(false));
});

it("what the sandbox hides of the user's files counts as holding keys, or as a folder of such files", () => {
  // In folders of browsers, only the files with logins and cookies count.
  const ofBrowsers = /mozilla|thunderbird|chrom|brave|edge|cookies|firefox/i;
  const stores = credentialStores("/home/Me").filter((path) => path.startsWith("/home") && !ofBrowsers.test(path));
  const isKnown = (path: string): boolean =>
    isCredentialFile(path, PLACES) ||
    isCredentialFile(`${path}/x`, PLACES) ||
    searchesCredentials(path, undefined, PLACES);
  expect(stores.length).toBeGreaterThan(40);
  expect(stores.filter((path) => !isKnown(path))).toEqual([]);
});

it("nothing is a record of Lathe if its home is not known", () => {
  expect(isCredentialFile("/sessions/a.md", { userHome: "", latheHome: "" })).toBe(false);
  expect(isCredentialFile("/sessions/a.md", { userHome: "/", latheHome: "/" })).toBe(false);
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

describe("searches for credentials", () => {
  it.each([
    ["/home/Me/.ssh", undefined],
    ["/home/Me/.SSH", undefined],
    ["/opt/lathe-home", undefined],
    ["/srv/p", ".env"],
    ["/srv/p", "*.pem"],
    ["/opt/lathe-home/sessions", undefined],
  ])("%s with the filter %s is one", (root, filter) => expect(searchesCredentials(root, filter, PLACES)).toBe(true));

  it.each([
    ["/srv/p", undefined],
    ["/srv/p", "*.ts"],
    ["/srv/p", "!.env"],
    ["/opt/lathe-home/skills", undefined],
  ])("%s with the filter %s is none", (root, filter) => expect(searchesCredentials(root, filter, PLACES)).toBe(false));
});
