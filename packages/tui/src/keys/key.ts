// What arrives from a terminal, decoded: keys, pasted text, and the terminal's own answers.

export interface KeyPress {
  readonly kind: "key";
  /**
   * Lower case: a letter, digit or sign as it stands on the key ("a", "]", "-"), or "enter", "escape", "tab", "space", "backspace", "delete", "insert",
   * "up", "down", "left", "right", "home", "end", "pageUp", "pageDown", "f1" … "f24".
   */
  readonly name: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  readonly meta: boolean;
  /** What the key types: undefined for keys that type nothing, or with ctrl, alt or meta. */
  readonly text?: string | undefined;
}

/** Bracketed paste, or a burst of characters that no hand types. Line ends are `\n`. */
export interface Paste {
  readonly kind: "paste";
  readonly text: string;
}

/** The window has (not) the focus. */
export interface FocusChange {
  readonly kind: "focus";
  readonly focused: boolean;
}

export type Key = KeyPress | Paste | FocusChange;

/** An answer of the terminal to a question of ours. */
export type TerminalReply =
  | { readonly kind: "background"; readonly red: number; readonly green: number; readonly blue: number }
  | { readonly kind: "keyboard"; readonly flags: number }
  | { readonly kind: "cursor"; readonly row: number; readonly column: number }
  | { readonly kind: "mode"; readonly mode: number; readonly state: number }
  | { readonly kind: "attributes"; readonly values: readonly number[] }
  | { readonly kind: "appearance"; readonly dark: boolean }
  | { readonly kind: "name"; readonly text: string }
  /** Pixels of one cell. */
  | { readonly kind: "cell"; readonly width: number; readonly height: number }
  /** Rows and columns of the window. tmux 3.3a has them the other way round. */
  | { readonly kind: "size"; readonly values: readonly [number, number] }
  /** It knows kitty's way of drawing pictures. */
  | { readonly kind: "graphics" };
