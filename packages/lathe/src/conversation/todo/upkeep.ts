// Keeps the todo list short and up to date: finished tasks leave it some time after the last change, a resumed session
// starts with the open tasks, and the model is reminded when its last change failed.

import type { Middleware, Session } from "@lathe/agent";
import { withoutSettled } from "@lathe/agent/tools";
import type { ClientDeps } from "@lathe/llm";
import failed from "./failed-change.md";
import { TODO_REMINDER_FACT, todoList, writeTodo } from "./todo-facts.ts";

const TODO_REMINDER = "todo-write-error-reminder";

export interface UpkeepParts {
  readonly session: () => Session;
  readonly setTimer: ClientDeps["setTimer"];
  /** Seconds until finished tasks are removed; 0: at once; negative: never. */
  readonly clearDelay: number;
}

export class TodoUpkeep {
  readonly #parts: UpkeepParts;
  #isFirst = true;
  #hasFailed = false;
  #cancel = (): void => {};

  constructor(parts: UpkeepParts) {
    this.#parts = parts;
  }

  middleware(): Middleware {
    return {
      name: "todo",
      onInput: async () => {
        // Finished tasks of an earlier process are history; `/todo` still shows them.
        if (this.#isFirst) await this.#clear(false);
        this.#isFirst = false;
        if (this.#hasFailed) {
          const session = this.#parts.session();
          session.appendCustomMessage(TODO_REMINDER, failed.trim(), { display: false });
          await session.facts.write(TODO_REMINDER_FACT, {}, { isAnnounced: true });
        }
        this.#hasFailed = false;
        return undefined;
      },
      afterCall: ({ tool }, { isError = false }) => {
        if (tool.feature !== "todo") return undefined;
        this.#hasFailed = isError;
        this.#clearLater();
        return undefined;
      },
    };
  }

  close(): void {
    this.#cancel();
  }

  #clearLater(): void {
    const { clearDelay, setTimer } = this.#parts;
    this.#cancel();
    if (clearDelay < 0) return;
    const timer = setTimer(() => void this.#clear(true), clearDelay * 1000);
    this.#cancel = () => timer.cancel();
  }

  async #clear(isAnnounced: boolean): Promise<void> {
    const session = this.#parts.session();
    if (session.state === "closed") return;
    const list = todoList(session);
    const open = withoutSettled(list);
    const count = (phases: typeof list): number => phases.reduce((sum, { tasks }) => sum + tasks.length, 0);
    if (count(open) < count(list)) await writeTodo(session, open, { isAnnounced });
  }
}
