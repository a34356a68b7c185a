// Files that no command changes without a question: they decide what runs later, or let others in.

const HOME_FILES: readonly (readonly [RegExp, string])[] = [
  [
    /^\.(?:bashrc|bash_(?:profile|login|logout|aliases)|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|mkshrc|cshrc|tcshrc|login)$/i,
    "a start-up file of the shell",
  ],
  [/^\.(?:inputrc|xinitrc|xprofile|xsession|pam_environment)$/, "a start-up file"],
  [
    /^\.config\/(?:fish|autostart|systemd|environment\.d|git|gh|gcloud|op|rclone)(?:\/|$)/,
    "a start-up or credential file",
  ],
  [/^\.(?:ssh|gnupg|aws|azure|kube|docker|password-store|lathe|claude|codex|gemini)(?:\/|$)/, "keys or settings"],
  [
    /^\.(?:netrc|npmrc|pypirc|git-credentials|gitconfig|pgpass|my\.cnf|vault-token|yarnrc|yarnrc\.yml)$/,
    "a credential or settings file",
  ],
  [/^\.cargo\/(?:credentials|config)/, "a credential or settings file"],
  [/^Library\/(?:LaunchAgents|Keychains)(?:\/|$)/, "start-up files or keys"],
];

const SYSTEM =
  /^\/(?:etc\/(?:passwd|shadow|group|sudoers|profile|bash|zsh|environment|ld\.so|cron|ssh|pam|hosts|init|systemd|rc)|var\/spool\/cron|boot\/|proc\/sys)/;

/** What the path is, when it is protected; relative to `cwd` where that is known. */
export function protectedPath(path: string, cwd: string | undefined, home: string | undefined): string | undefined {
  const absolute = normalise(path.startsWith("/") || cwd === undefined ? path : `${cwd}/${path}`);
  if (SYSTEM.test(absolute)) return "a file of the system";
  const inHome = belowHome(absolute, home);
  const found = inHome === undefined ? undefined : HOME_FILES.find(([pattern]) => pattern.test(inHome));
  if (found) return found[1];
  if (/(?:^|\/)\.lathe(?:\/|$)/.test(absolute) && !/(?:^|\/)\.lathe\/plans\/[^/]+\.md$/.test(absolute))
    return "the agent's own settings";
  return /(?:^|\/)\.git(?:\/|$)/.test(absolute) ? "what git keeps and runs" : undefined;
}

function belowHome(path: string, home: string | undefined): string | undefined {
  if (home !== undefined && path.startsWith(`${home}/`)) return path.slice(home.length + 1);
  // A home that we do not know, or another user's.
  return /^(?:~\w*|\$HOME|\$\{HOME\}|\/root|\/home\/[^/]+|\/Users\/[^/]+)\/(.*)$/s.exec(path)?.[1];
}

/** Without `.`, `..` and doubled slashes, as text: the caller that opens it follows links. */
function normalise(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return (path.startsWith("/") ? "/" : "") + parts.join("/");
}
