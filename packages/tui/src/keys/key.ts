// Decoded terminal input: keys, pasted text, and the terminal's answers.

export interface KeyPress {
  readonly kind: "key";
  /**
   * Lower case: the letter, digit or sign on the key ("a", "]", "-"), or "enter", "escape", "tab", "space",
   * "backspace", "delete", "insert", "up", "down", "left", "right", "home", "end", "pageUp", "pageDown", "f1" … "f24".
   */
  readonly name: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  readonly meta: boolean;
  /** The text that the key types; undefined if it types nothing, or with ctrl, alt or meta. */
  readonly text?: string | undefined;
}

/** Bracketed paste, or a burst of characters faster than typing. Line breaks are `\n`. */
export interface Paste {
  readonly kind: "paste";
  readonly text: string;
}

/** The window has gained or lost the focus. */
export interface FocusChange {
  readonly kind: "focus";
  readonly focused: boolean;
}

export type Key = KeyPress | Paste | FocusChange;

/** The terminal's answer to one of our queries. */
export type TerminalReply =
  | { readonly kind: "background"; readonly red: number; readonly green: number; readonly blue: number }
  | { readonly kind: "keyboard"; readonly flags: number }
  | { readonly kind: "cursor"; readonly row: number; readonly column: number }
  | { readonly kind: "mode"; readonly mode: number; readonly state: number }
  | { readonly kind: "attributes"; readonly values: readonly number[] }
  | { readonly kind: "appearance"; readonly dark: boolean }
  | { readonly kind: "name"; readonly text: string }
  /** Size of one cell in pixels. */
  | { readonly kind: "cell"; readonly width: number; readonly height: number }
  /** Rows and columns of the window; tmux 3.3a swaps them. */
  | { readonly kind: "size"; readonly values: readonly [number, number] }
  /** It supports kitty's picture protocol. */
  | { readonly kind: "graphics" };
