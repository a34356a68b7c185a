// Which variables of the host a command sees. It keeps keys out of transcripts by accident; it is no security boundary.

export type EnvPolicy = "filtered" | "inherit_all" | "inherit_none" | "inherit_core";
export type EnvVars = Readonly<Record<string, string | undefined>>;

const KEPT = new Set(
  (
    "PATH HOME USER SHELL LANG TERM TMPDIR LOGNAME LC_ALL LC_CTYPE TZ " +
    "GOPATH GOROOT GOBIN GOCACHE GOMODCACHE CARGO_HOME RUSTUP_HOME NVM_DIR NODE_PATH NPM_CONFIG_PREFIX PNPM_HOME " +
    "BUN_INSTALL DENO_DIR VOLTA_HOME PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PIPX_HOME RBENV_ROOT GEM_HOME GEM_PATH " +
    "JAVA_HOME GRADLE_HOME GRADLE_USER_HOME MAVEN_HOME M2_HOME SDKMAN_DIR ANDROID_HOME ANDROID_SDK_ROOT DOTNET_ROOT " +
    "ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR"
  ).split(" "),
);

const SECRET = /(?:^|_)(?:(?:API|ACCESS|SECRET|PRIVATE)_KEY|SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$/i;

/** `base` is the host's environment; `extra` holds the variables a call asks for by name, which always win. */
export function commandEnv(base: EnvVars, policy: EnvPolicy, extra: EnvVars = {}): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value !== undefined && admits(policy, name)) result[name] = value;
  }
  for (const [name, value] of Object.entries(extra)) {
    if (value !== undefined) result[name] = value;
  }
  return result;
}

function admits(policy: EnvPolicy, name: string): boolean {
  switch (policy) {
    case "inherit_all":
      return true;
    case "inherit_none":
      return false;
    case "inherit_core":
      return KEPT.has(name);
    case "filtered":
      return KEPT.has(name) || !SECRET.test(name);
  }
}
