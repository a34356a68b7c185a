import { expect, it } from "vitest";
import { plainOutput } from "./plain-output.ts";

it("TL-04 colours, titles, bells and zero bytes of a command do not reach the model", () => {
  const coloured =
    "\x1b[1;31mred\x1b[0m \x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ \x1b(Bb\x1b7\x00\x07\x08c\x7f\n";
  expect(plainOutput(coloured)).toBe("red alink bc\n");
  expect(plainOutput("\x1b[2K\x1b[1Gdone\ttab\n")).toBe("done\ttab\n");
  expect(plainOutput("cut \x1b[3")).toBe("cut ");
});

it("TL-04 of a progress line only the last state is left, and it says so", () => {
  const bar = Array.from({ length: 100 }, (_, i) => `\r${i + 1}%`).join("");
  expect(plainOutput(`start\n${bar}\nend\n`)).toBe("start\n100% [99 earlier states of this line omitted]\nend\n");
  expect(plainOutput(`${bar}\r\nend\r\n`)).toBe("100% [99 earlier states of this line omitted]\r\nend\r\n");
});

it("TL-04 text without control characters, other line ends and other scripts stays as it came", () => {
  for (const text of ["", "a\nb\n", "a\r\nb\r\n", "a\rb\rc", "tab\there é 日 \u200d👩\n", "no end"]) {
    expect(plainOutput(text)).toBe(text);
  }
});
