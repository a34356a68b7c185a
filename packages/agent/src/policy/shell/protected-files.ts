// Files that make something run later, with the program that acts on each. Recognised by their path in any directory,
// ignoring case, because some file systems do.

/**
 * Names by program: a trailing slash means a folder with everything in it, `*` anything but a slash, `~/` the user's
 * home directory, a leading slash the root of the disk.
 */
const PROTECTED: readonly (readonly [program: string, names: string])[] = [
  ["git", ".git/ .gitconfig .gitmodules .gitattributes head commondir"],
  [
    "a hook of git",
    ".husky/ .pre-commit-config.yaml .pre-commit-config.yml lefthook.y*ml .lefthook.y*ml .overcommit.yml",
  ],
  ["Lathe", ".lathe/"],
  ["hg", ".hg/ .hgrc"],
  ["jj", ".jj/"],
  ["another agent", ".claude/ .codex/ .gemini/ .cursor/ .opencode/ .windsurf/ .mcp.json opencode.json opencode.jsonc"],
  ["ssh", ".ssh/"],
  ["VS Code", ".vscode/ *.code-workspace .devcontainer/ .devcontainer.json"],
  [
    "the editor",
    ".idea/ *.run.xml .fleet/ .zed/ .helix/ *.sublime-project .dir-locals.el .dir-locals-2.el .emacs .emacs.d/",
  ],
  ["vim", ".vimrc .gvimrc .exrc .nvimrc .nvim.lua .lvimrc .vim/"],
  ["direnv", ".envrc .direnvrc .direnv/"],
  ["mise", "mise.toml .mise.toml mise.local.toml .mise.local.toml .mise/ mise/config.toml"],
  [
    "the shell",
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .login .logout .pam_environment",
  ],
  ["a program that loads variables", ".env"],
  ["the shell", ".zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc"],
  ["readline", ".inputrc"],
  ["the desktop", ".xinitrc .xprofile .xsession"],
  ["tmux", ".tmux.conf .tmux/"],
  ["screen", ".screenrc"],
  ["the debugger", ".gdbinit .lldbinit .pdbrc"],
  ["curl", ".curlrc .netrc"],
  ["ripgrep", ".ripgreprc"],
  ["bazel", ".bazelrc"],
  ["a program that picks versions", ".tool-versions devbox.json .autoenv .autoenv.zsh"],
  ["wget", ".wgetrc"],
  ["the database client", ".psqlrc .sqliterc"],
  [
    "Python",
    ".pythonrc .pythonrc.py .pythonstartup sitecustomize.py usercustomize.py site-packages/*.pth dist-packages/*.pth pyvenv.cfg",
  ],
  ["pip", "pip.conf pip.ini .pypirc .pydistutils.cfg .condarc"],
  ["Ruby", ".irbrc .pryrc .gemrc .bundle/"],
  ["RSpec", ".rspec"],
  ["R", ".rprofile .renviron"],
  ["npm", ".npmrc .pnpmfile.cjs .pnpmfile.mjs pnpmfile.cjs .pnp.cjs .pnp.loader.mjs"],
  ["a program of the project", "node_modules/.bin/"],
  ["yarn", ".yarnrc .yarnrc.yml .yarn/releases/ .yarn/plugins/"],
  ["bun", "bunfig.toml .bunfig.toml"],
  ["rustup", "rust-toolchain rust-toolchain.toml"],
  ["cargo", ".cargo .cargo/config .cargo/config.toml"],
  ["the build tool", ".mvn/ .mavenrc gradle/wrapper/ .gradle/init.d/ .sbtopts nuget.config"],
  ["kubectl", ".kube .kube/config"],
  ["ansible", "ansible.cfg .ansible.cfg"],
  // What servers run after a push, with the project's secrets. The folders are listed too, because a whole folder can
  // be moved there.
  ["CI", ".github .github/workflows/ .github/actions/ .gitea .gitea/workflows/ .forgejo .forgejo/workflows/"],
  ["CI", ".circleci/ .buildkite/ .woodpecker/ .teamcity/ .tekton/ .semaphore/ .builds/ jenkinsfile"],
  ["CI", ".gitlab-ci.y*ml *.gitlab-ci.y*ml .travis.y*ml .drone.y*ml .woodpecker.y*ml .cirrus.y*ml .build.y*ml"],
  [
    "CI",
    ".appveyor.y*ml appveyor.y*ml azure-pipelines.y*ml bitbucket-pipelines.y*ml cloudbuild.y*ml buildspec.y*ml .gitpod.y*ml",
  ],
  [
    "a program with your keys",
    "~/.aws/ ~/.azure/ ~/.gnupg/ ~/.docker/ ~/.kube/ ~/.password-store/ ~/library/keychains/",
  ],
  ["a program with your keys", "~/.git-credentials ~/.pgpass ~/.my.cnf ~/.vault-token ~/.cargo/credentials*"],
  ["one of your programs", "~/.config/ ~/.local/bin/ ~/.local/share/systemd/ ~/bin/ ~/library/launchagents/"],
  [
    "the system",
    "/etc/passwd*/ /etc/shadow*/ /etc/group*/ /etc/sudoers*/ /etc/profile*/ /etc/bash*/ /etc/zsh*/ /boot/ /proc/sys/",
  ],
  [
    "the system",
    "/etc/environment*/ /etc/ld.so*/ /etc/cron*/ /etc/ssh*/ /etc/pam*/ /etc/hosts*/ /etc/init*/ /etc/systemd/",
  ],
  ["the system", "/etc/rc*/ /var/spool/cron/"],
];

const ROWS = PROTECTED.map(
  ([program, names]) => [new RegExp(names.split(" ").map(sourceOf).join("|")), program] as const,
);

function sourceOf(name: string): string {
  const isAnchored = /^~?\//.test(name);
  const source = name.replaceAll(".", "\\.").replaceAll("*", "[^/]*").replace(/\/$/, "(?:/|$)");
  return `${isAnchored ? "^" : "(?:^|/)"}${source}${name.endsWith("/") ? "" : "$"}`;
}

/**
 * The program that a change to this file would affect; undefined if none is known. A path in the home directory may
 * begin with `~/`.
 */
export function programSteeredBy(path: string, userHome?: string): string | undefined {
  const folded = path.toLowerCase();
  const home = `${userHome?.toLowerCase()}/`;
  const short = folded.startsWith(home) ? `~/${folded.slice(home.length)}` : folded;
  return ROWS.find(([pattern]) => pattern.test(short))?.[1];
}
