// Which variables of the host a command sees. Keys and passwords stay out of commands, and so out of transcripts,
// unless the user passes them by name. This is not a security boundary (decision 0307).

import { isSecretName, isSecretValue, mayHoldKeys } from "../../base/secrets/variables.ts";

/** Which variables commands see: all but secrets (`filtered`), a short list of well-known ones (`inherit_core`), all, or none. */
export type EnvPolicy = "filtered" | "inherit_all" | "inherit_none" | "inherit_core";
/** Environment variables by name. */
export type EnvVars = Readonly<Record<string, string | undefined>>;

/** Which variables commands see. */
export interface EnvRules {
  readonly policy: EnvPolicy;
  /** Names that are passed in addition, whatever they look like; `*` matches any characters. */
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

/** Addresses of credential brokers: not secret, but commands do not need them. */
const LEADS_TO_CREDENTIALS = /(?:^|_)AUTH_BROKER_URL$/;

/** Variables that a shell sets itself. */
const OF_THE_SHELL = new Set(["_", "PWD", "OLDPWD", "SHLVL"]);

/** `base` is the host's environment; `extra` holds the variables a call explicitly sets, which always win. */
export function commandEnv(base: EnvVars, rules: EnvRules, extra: EnvVars = {}): Record<string, string> {
  const admitted = admission(rules, base);
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value !== undefined && admitted(name, value)) result[name] = value;
  }
  for (const [name, value] of Object.entries(extra)) {
    if (value !== undefined) result[name] = value;
  }
  return result;
}

/** Names of the host's variables that are hidden from commands, sorted. */
export function withheldNames(base: EnvVars, rules: EnvRules): string[] {
  const admitted = admission(rules, base);
  return Object.entries(base)
    .filter(([name, value]) => value !== undefined && !OF_THE_SHELL.has(name) && !admitted(name, value))
    .map(([name]) => name)
    .sort();
}

function admission({ policy, pass = [] }: EnvRules, base: EnvVars): (name: string, value: string) => boolean {
  const passed = pass.map(globPattern);
  const judges = policy === "inherit_core" || policy === "filtered";
  const mayHoldKey = judges && mayHoldKeys(base);
  return (name, value) => admits(policy, name, value, mayHoldKey) || passed.some((pattern) => pattern.test(name));
}

function admits(policy: EnvPolicy, name: string, value: string, mayHoldKey: boolean): boolean {
  switch (policy) {
    case "inherit_all":
      return true;
    case "inherit_none":
      return false;
    case "inherit_core":
      return CORE.has(name) || (CORE_PATTERN.test(name) && !isSecretValue(value, mayHoldKey));
    case "filtered":
      return (
        CORE.has(name) || !(isSecretName(name) || LEADS_TO_CREDENTIALS.test(name) || isSecretValue(value, mayHoldKey))
      );
  }
}

function globPattern(glob: string): RegExp {
  const literal = (text: string) => text.replace(/[^\w]/g, "\\$&");
  return new RegExp(`^${glob.split("*").map(literal).join(".*")}$`, "s");
}
