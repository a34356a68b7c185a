// The user's desktop as an addition to sessions: the service of the tool `computer`, and the user's command `/computer`.

import type { AdditionMaker, PartCommand } from "../../conversation/session-contract.ts";
import { usageError } from "../../platform/usage/exit.ts";
import type { X11Desktop } from "./desktop.ts";

export const computerAddition: AdditionMaker = async ({ userEnv: env, cwd }) => {
  let desktop: Promise<X11Desktop> | undefined;
  let warn: (message: string) => void = () => {};
  const load = (): Promise<X11Desktop> => {
    desktop ??= import("./desktop.ts").then(
      ({ X11Desktop: Made }) =>
        new Made({
          env,
          cwd,
          onStarted: (pid) =>
            warn(`The model uses your desktop. To stop it: /computer stop, or kill -USR1 ${pid} in any terminal.`),
          onStopped: (picture) =>
            warn(
              `The desktop is stopped: buttons and keys are released${picture && `, the screen is in ${picture}`}. ` +
                "/computer reset allows it again.",
            ),
        }),
    );
    return desktop;
  };
  const command: PartCommand = {
    name: "computer",
    arguments: "[stop|reset]",
    description: "stop the model's use of the desktop, or allow it again",
    whileWorking: true,
    run: async (_conversation, argument, view) => {
      const verb = argument.trim();
      if (!["", "stop", "reset"].includes(verb)) throw usageError(`/computer knows stop and reset, not ${verb}.`);
      const loaded = await load();
      if (verb === "stop") await loaded.stop();
      if (verb === "reset") await loaded.reset();
      view.line(loaded.isStopped ? "The desktop is stopped." : "The model may use the desktop.");
    },
  };
  return {
    name: "desktop",
    services: { desktop: { act: async (order, signal) => (await load()).act(order, signal) } },
    commands: async () => [command],
    opened: ({ session }) => {
      warn = (message) => session.warn(message, "computer");
    },
    close: async () => (await desktop)?.close(),
  };
};
