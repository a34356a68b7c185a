// Where users keep keys and passwords. Commands in the sandbox find these places empty.

/** Folders and files below the home directory. */
const BELOW_HOME = [
  ...[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".config/gcloud", ".config/gh", ".config/hub", ".config/glab-cli"],
  ...[".config/op", ".config/rclone", ".config/doctl", ".config/heroku", ".config/sops", ".config/git/credentials"],
  ...[".netrc", ".git-credentials", ".npmrc", ".yarnrc.yml", ".pypirc", ".pgpass", ".my.cnf", ".vault-token", ".boto"],
  ...[".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".docker/config.json", ".m2/settings.xml"],
  ...[".m2/settings-security.xml", ".gradle/gradle.properties", ".terraform.d/credentials.tfrc.json", ".s3cfg"],
  ...[".password-store", ".local/share/keyrings", ".local/share/kwalletd", ".config/containers/auth.json"],
  ...[".claude/.credentials.json", ".codex/auth.json", ".gemini/oauth_creds.json", ".local/share/opencode/auth.json"],
  ...[
    ".dockercfg",
    ".mylogin.cnf",
    ".cache/huggingface/token",
    ".cache/huggingface/stored_tokens",
    ".huggingface/token",
  ],
  ...[
    ".databrickscfg",
    ".config/github-copilot/hosts.json",
    ".config/github-copilot/apps.json",
    ".local/share/fish/fish_history",
    ".histfile",
    ".zhistory",
  ],
  ...[".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware"],
  ...[
    ".config/microsoft-edge",
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
  ],
  ...["Library/Keychains", "Library/Cookies", "Library/Application Support/Google/Chrome"],
  ...["Library/Application Support/Firefox"],
];

const OF_THE_SYSTEM = [
  "/etc/shadow",
  "/etc/gshadow",
  "/etc/shadow-",
  "/etc/gshadow-",
  "/etc/krb5.keytab",
  "/etc/ssl/private",
];
const HOST_KEYS = ["rsa", "ecdsa", "ed25519", "dsa"].map((kind) => `/etc/ssh/ssh_host_${kind}_key`);

/** Files that shells and desktops run automatically: they matter if the home directory is itself a root. */
const STARTUP_FILES = [
  ...[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
  ],
  ...[".xprofile", ".xinitrc", ".pam_environment", ".inputrc", ".tmux.conf", ".vimrc", ".gitconfig", ".config/git"],
  ...[
    ".config/fish",
    ".config/autostart",
    ".config/systemd",
    ".config/environment.d",
    ".config/nvim",
    "Library/LaunchAgents",
  ],
];

export const credentialStores = (home: string): string[] => [
  ...BELOW_HOME.map((path) => `${home}/${path}`),
  ...OF_THE_SYSTEM,
  ...HOST_KEYS,
];

export const startupFiles = (home: string): string[] => STARTUP_FILES.map((path) => `${home}/${path}`);

/** Variables that lead to the user's agents, buses and screens. */
export const VARIABLES_OUT = new Set(
  (
    "SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO DBUS_SESSION_BUS_ADDRESS TMUX TMUX_PANE STY DOCKER_HOST CONTAINER_HOST DISPLAY " +
    "WAYLAND_DISPLAY XAUTHORITY NOTIFY_SOCKET GNOME_KEYRING_CONTROL VSCODE_IPC_HOOK_CLI SESSION_MANAGER"
  ).split(" "),
);
