import { expect, it } from "vitest";
import { BodyRoom } from "./body-room.ts";

const MB = 1 << 20;

it("M2 no key can take all the room for large requests, all together have a limit, and what has ended is free again", () => {
  const room = new BodyRoom();
  const first = room.enter("a");
  const second = room.enter("a");
  for (let nth = 0; nth < 4; nth++) (nth % 2 ? first : second).take(64 * MB);
  expect(() => first.take(1)).toThrow("This key has too many large requests at once");
  const other = room.enter("b");
  other.take(256 * MB);
  expect(() => room.enter("c").take(1)).toThrow("The gateway has too many large requests at once");
  first.leave();
  first.leave();
  room.enter("c").take(128 * MB);
  expect(() => room.enter("c").take(1)).toThrow("The gateway has");
});
