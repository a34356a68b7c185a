// The symbols that the screen uses, by meaning. Three sets: unicode, nerd (needs a patched font) and ascii.

export interface Symbols {
  readonly success: string;
  readonly failure: string;
  readonly running: string;
  readonly pending: string;
  readonly warning: string;
  readonly info: string;
  readonly bullet: string;
  readonly prompt: string;
  readonly pointer: string;
  readonly ellipsis: string;
  readonly arrowRight: string;
  readonly arrowDown: string;
  readonly branch: string;
  readonly ruleHorizontal: string;
  readonly ruleVertical: string;
  readonly quoteBar: string;
  readonly treeMiddle: string;
  readonly treeLast: string;
  readonly checked: string;
  readonly unchecked: string;
  readonly barFull: string;
  readonly barEmpty: string;
  /** Frames of the spinner in the status line. */
  readonly spinner: readonly string[];
}
