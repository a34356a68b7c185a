// The setting `auth.broker.token` holds a token or says where to find one. A token written there is never shown.

/** The token, if the setting contains it; undefined if it says where to find one. */
export function writtenToken(setting: string): string | undefined {
  return setting === "" || setting.startsWith("!") || variableName(setting) !== undefined ? undefined : setting;
}

/** The value of a setting as it may be shown: without the token, if it contains one. */
export function shownSetting<T>(key: string, value: T): T | string {
  return key === "auth.broker.token" && writtenToken(String(value)) !== undefined ? "(hidden)" : value;
}

/** Text that looks like a variable name is one, as in models.yml; it may start with a `$`. */
export const variableName = (text: string): string | undefined =>
  /^\$?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)$/.exec(text)?.[1];
