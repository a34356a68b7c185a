// The setting `auth.broker.token`: a token, or where it is. One that is written there is not shown.

/** A token that is written in the settings themselves; undefined when they say where it is. */
export function writtenToken(setting: string): string | undefined {
  return setting === "" || setting.startsWith("!") || variableName(setting) !== undefined ? undefined : setting;
}

/** How a setting may be shown: a token that is written in it is not. */
export function shownSetting<T>(key: string, value: T): T | string {
  return key === "auth.broker.token" && writtenToken(String(value)) !== undefined ? "(hidden)" : value;
}

/** What looks like the name of a variable is one, as in models.yml; a `$` may stand before it. */
export const variableName = (text: string): string | undefined =>
  /^\$?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)$/.exec(text)?.[1];
