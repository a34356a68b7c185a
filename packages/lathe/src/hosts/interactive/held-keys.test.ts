import type { Key } from "@lathe/tui";
import { describe, expect, it } from "vitest";
import { HeldKeys } from "./held-keys.ts";

const key = (name: string): Key => ({
  kind: "key",
  name,
  ...(name.length === 1 ? { text: name } : {}),
  ctrl: false,
  alt: false,
  shift: false,
  meta: false,
});

/** Questions that Enter closes, and a composer that gets the other keys. */
function desk() {
  const answers: string[] = [];
  let composer = "";
  let isAsking = false;
  const nameOf = (pressed: Key) => (pressed.kind === "key" ? pressed.name : "");
  const held = new HeldKeys({
    replay: (pressed) => {
      if (!isAsking) composer += nameOf(pressed);
      else if (nameOf(pressed) === "enter") isAsking = false;
      else answers[answers.length - 1] += nameOf(pressed);
    },
    isAsking: () => isAsking,
  });
  return {
    held,
    answers,
    composer: () => composer,
    type: (...names: string[]) => {
      for (const name of names) if (!held.takes(key(name))) composer += name;
    },
    ask: () => {
      isAsking = true;
      answers.push("");
      held.release();
    },
  };
}

describe("keys that come before their question", () => {
  it("an answer that closes one question leaves the rest for the next, so a key never lands in the composer", async () => {
    const { held, answers, composer, type, ask } = desk();
    await held.during("the start", async () => {
      type("g", "enter", "s", "k", "enter");
      ask();
      ask();
    });
    expect(answers).toEqual(["g", "sk"]);
    expect(composer()).toBe("");
  });

  it("what no question took is shown in the composer and is not sent", async () => {
    const { held, composer, type } = desk();
    await held.during("the start", async () => type("s", "k", "enter"));
    expect(composer()).toBe("sk");
  });

  it("before the first question of onboarding a request is typed as usual", async () => {
    const { held, composer, type, ask } = desk();
    await held.during("its first question", async () => {
      type("h", "i");
      expect(composer()).toBe("hi");
      ask();
      type("x");
      expect(composer()).toBe("hi");
    });
  });
});
