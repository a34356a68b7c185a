// Keeps keys out of prompts: what looks like one is replaced, and a prompt that is nothing but a key is refused.

import type { ExtensionApi } from "lathe/extension";

const KEY = /\b(?:sk|ghp|xox[bp])[-_][A-Za-z0-9_-]{16,}\b/g;

export default function (lathe: ExtensionApi) {
  lathe.on("input", ({ text }) => {
    if (!KEY.test(text)) return;
    const clean = text.replace(KEY, "[key removed]");
    if (clean.trim() === "[key removed]") return { reject: "That looks like a key. It was not sent." };
    return { text: clean };
  });
}
