// Which variables of the host a command sees. Keys and passwords stay out of commands, and so out of transcripts, unless
// the user passes them on by name; it is no security boundary (decision 0075).

/** Which variables commands see: a short list of well-known ones (`inherit_core`), all but secrets (`filtered`), all, or none. */
export type EnvPolicy = "filtered" | "inherit_all" | "inherit_none" | "inherit_core";
/** Environment variables by name. */
export type EnvVars = Readonly<Record<string, string | undefined>>;

/** Which variables commands see. */
export interface EnvRules {
  readonly policy: EnvPolicy;
  /** Names that pass in addition, whatever they look like; `*` stands for any letters. */
  readonly pass?: readonly string[] | undefined;
}

const CORE = new Set(
  (
    "PATH HOME USER SHELL LANG TERM TMPDIR LOGNAME LC_ALL LC_CTYPE TZ COLORTERM NO_COLOR FORCE_COLOR HOSTNAME " +
    "CI NODE_ENV DISPLAY WAYLAND_DISPLAY SSH_AUTH_SOCK DOCKER_HOST DOCKER_CONTEXT KUBECONFIG " +
    "SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO " +
    "GOPATH GOROOT GOBIN GOCACHE GOMODCACHE CARGO_HOME RUSTUP_HOME NVM_DIR NODE_PATH NPM_CONFIG_PREFIX PNPM_HOME " +
    "BUN_INSTALL DENO_DIR VOLTA_HOME PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PIPX_HOME RBENV_ROOT GEM_HOME GEM_PATH " +
    "JAVA_HOME GRADLE_HOME GRADLE_USER_HOME MAVEN_HOME M2_HOME SDKMAN_DIR ANDROID_HOME ANDROID_SDK_ROOT DOTNET_ROOT " +
    "ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR LD_LIBRARY_PATH PKG_CONFIG_PATH NIX_PATH NIX_PROFILES NIX_SSL_CERT_FILE " +
    "XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME XDG_RUNTIME_DIR XDG_CONFIG_DIRS XDG_DATA_DIRS"
  ).split(" "),
);
const CORE_PATTERN = /^(?:LC_[A-Z]+|[a-z]+_proxy|[A-Z]+_PROXY)$/;

/** A shell sets these itself. */
const OF_THE_SHELL = new Set(["_", "PWD", "OLDPWD", "SHLVL"]);

/** As the last word of a name, or the whole of it. */
const SECRET_WORDS = new Set(
  "KEY KEYS PAT PASS CREDENTIAL CREDENTIALS CREDS AUTH COOKIE COOKIES DSN HEADERS WEBHOOK".split(" "),
);
/** The same for several words. */
const SECRET_PHRASES = [
  "WEBHOOK_URL",
  "CONNECTION_STRING",
  ..."DATABASE DB REDIS MONGO MONGODB POSTGRES POSTGRESQL MYSQL AMQP RABBITMQ BROKER"
    .split(" ")
    .flatMap((server) => [`${server}_URL`, `${server}_URI`]),
];
/** At the end of a name, also within a word and in the plural. */
const SECRET_ENDINGS = ["APIKEY", "API_KEY", "SECRET", "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE"];

/**
 * Its value is a key, a password, or holds one, as far as a name can tell. Every start asks this of every variable, and to
 * compile a pattern of these words takes longer than all of these comparisons.
 */
export function isSecretName(name: string): boolean {
  const upper = name.toUpperCase();
  if (SECRET_WORDS.has(upper.slice(upper.lastIndexOf("_") + 1)) || upper.endsWith("_PWD")) return true;
  if (SECRET_PHRASES.some((phrase) => upper === phrase || upper.endsWith(`_${phrase}`))) return true;
  const singular = upper.endsWith("S") ? upper.slice(0, -1) : upper;
  return SECRET_ENDINGS.some((ending) => singular.endsWith(ending));
}

/** `base` is the host's environment; `extra` holds the variables a call asks for by name, which always win. */
export function commandEnv(base: EnvVars, rules: EnvRules, extra: EnvVars = {}): Record<string, string> {
  const admitted = admission(rules);
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value !== undefined && admitted(name)) result[name] = value;
  }
  for (const [name, value] of Object.entries(extra)) {
    if (value !== undefined) result[name] = value;
  }
  return result;
}

/** Names of the host's variables that commands do not see, sorted. */
export function withheldNames(base: EnvVars, rules: EnvRules): string[] {
  const admitted = admission(rules);
  return Object.keys(base)
    .filter((name) => base[name] !== undefined && !OF_THE_SHELL.has(name) && !admitted(name))
    .sort();
}

function admission({ policy, pass = [] }: EnvRules): (name: string) => boolean {
  const passed = pass.map(globPattern);
  return (name) => admits(policy, name) || passed.some((pattern) => pattern.test(name));
}

function admits(policy: EnvPolicy, name: string): boolean {
  switch (policy) {
    case "inherit_all":
      return true;
    case "inherit_none":
      return false;
    case "inherit_core":
      return isCore(name);
    case "filtered":
      return isCore(name) || !isSecretName(name);
  }
}

function isCore(name: string): boolean {
  return CORE.has(name) || CORE_PATTERN.test(name);
}

function globPattern(glob: string): RegExp {
  const literal = (text: string) => text.replace(/[^\w]/g, "\\$&");
  return new RegExp(`^${glob.split("*").map(literal).join(".*")}$`, "s");
}
