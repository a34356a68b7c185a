// A message that is sent at the very moment the answer ends.

import { turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { builtinCommands } from "../src/conversation/commands/builtin.ts";
import { Controller } from "../src/hosts/interactive/controller.ts";
import type { HostView } from "../src/hosts/interactive/host-view.ts";
import { conversation, type Talk } from "./conversation-kit.ts";

let talk: Talk | undefined;
afterEach(async () => {
  await talk?.talk.close();
  await talk?.server.close();
  talk = undefined;
});

it("it is answered, however few steps lie between the end and the message: nothing waits for the next one", async () => {
  let onEnd: (() => void) | undefined;
  talk = await conversation(
    {},
    {
      parts: {
        onEvent: (_, { kind }) => {
          if (kind === "processing_end") onEnd?.();
        },
      },
    },
  );
  talk.answer(() => turn.text("answered"));
  const controller = new Controller(talk.talk, builtinCommands(), talk.view as unknown as HostView, () => ({
    cancel() {},
  }));
  const unanswered: string[] = [];
  for (let steps = 0; steps < 40; steps++) {
    const message = `message after ${steps} steps`;
    let resolve = (): void => {};
    const said = new Promise<void>((done) => {
      resolve = done;
    });
    onEnd = async () => {
      onEnd = undefined;
      for (let step = 0; step < steps; step++) await undefined;
      controller.say(message).then(resolve);
    };
    await controller.say("begin");
    await said;
    if (!talk.lastSent().includes(message) || controller.queue.steering.length > 0) unanswered.push(message);
    controller.takeBackQueued();
  }
  expect(unanswered).toEqual([]);
});
