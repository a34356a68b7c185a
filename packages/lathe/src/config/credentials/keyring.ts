// The system keyring, if the optional package is installed and a keyring responds. A headless machine has none.

export interface Keyring {
  get(provider: string): string | undefined;
  /** False if the keyring refused; the caller then keeps the secret in the file. */
  set(provider: string, secret: string): boolean;
  remove(provider: string): void;
}

const SERVICE = "lathe";

export async function systemKeyring(): Promise<Keyring | undefined> {
  let Entry: typeof import("@napi-rs/keyring").Entry;
  try {
    ({ Entry } = await import("@napi-rs/keyring"));
  } catch {
    return undefined; // the optional package is not installed on this platform
  }
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch {
      return undefined; // no keyring service: the secrets stay in the file
    }
  };
  return {
    get: (provider) => attempt(() => new Entry(SERVICE, provider).getPassword() ?? undefined),
    set: (provider, secret) =>
      attempt(() => {
        new Entry(SERVICE, provider).setPassword(secret);
        return true;
      }) ?? false,
    remove: (provider) => void attempt(() => new Entry(SERVICE, provider).deletePassword()),
  };
}
