// The lines of text and the colours that extensions can show.

/**
 * A line in the transcript; `style` is a colour of the theme: `accent`, `dim`, `warning`, `error`, `success` and so on.
 */
export type ExtensionLine = string | { readonly text: string; readonly style?: string | undefined };

/** One line or several. */
export type ExtensionLines = string | readonly ExtensionLine[];

/** How an entry of an extension's own kind looks in the transcript. */
export type ExtensionEntryRenderer = (entry: {
  readonly kind: string;
  readonly text: string;
  readonly data?: unknown;
}) => ExtensionLines;

/**
 * Colours by token, as in a theme file: see docs/themes.md. Missing tokens come from the built-in dark or light theme.
 */
export interface ExtensionTheme {
  readonly name: string;
  readonly colors: Readonly<Record<string, string | number>>;
  readonly vars?: Readonly<Record<string, string | number>> | undefined;
}
