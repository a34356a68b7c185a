// What the app's own keys do. Keys that edit belong to the editor, and those of a list to the list.

import { PERMISSION_MODES } from "@lathe/agent/policy";
import type { Key, KeyPress } from "@lathe/tui";
import type { AppAction } from "./actions.ts";
import type { Controller } from "./controller.ts";
import type { Panel } from "./panels/panel-stack.ts";
import type { KeyHandler, ScreenView } from "./screen-view.ts";

/** Pressed twice within this, Escape opens the list of earlier messages. */
const TWICE_MS = 600;

export class Keyboard implements KeyHandler {
  readonly #view: ScreenView;
  #lastEscape = Number.NEGATIVE_INFINITY;

  constructor(view: ScreenView) {
    this.#view = view;
  }

  handle(key: Key): boolean {
    if (key.kind !== "key") return false;
    const { controller, bindings } = this.#view;
    if (!controller) return false;
    if (this.#emptyUp(key, controller)) return true;
    const action = bindings.match(key, "app") as AppAction | undefined;
    return action === undefined ? this.#view.extensionKey(key) : this.#run(action, controller);
  }

  /** Up in an empty composer takes back what waits. */
  #emptyUp({ name, ctrl, alt, shift }: KeyPress, controller: Controller): boolean {
    if (name !== "up" || ctrl || alt || shift || !this.#view.editor.isEmpty) return false;
    return this.#dequeue(controller);
  }

  /** False: the key goes on to the editor. */
  #run(action: AppAction, controller: Controller): boolean {
    const view = this.#view;
    const { editor } = view;
    switch (action) {
      case "app.interrupt":
        return this.#escape(controller);
      case "app.clear":
        // Behind a question that has the keys, nobody sees the composer.
        if (view.panels.focused) this.#giveUp(view.panels.focused, () => controller.interrupt());
        else if (editor.isEmpty) controller.interrupt();
        else this.#clear(controller);
        return true;
      case "app.exit":
        if (!editor.isEmpty) return false;
        controller.exit();
        return true;
      case "app.suspend":
        view.suspend();
        return true;
      case "app.permission.cycle":
        cyclePermission(controller);
        return true;
      case "app.message.followUp":
        return this.#sendLater(controller);
      case "app.message.dequeue":
        return this.#dequeue(controller) || true;
      case "app.message.sendNow":
        return this.#sendNow(controller);
      case "app.background":
        return this.#background(controller);
      case "app.editor.external":
        void view.tell(async () => (await import("./external-editor.ts")).editExternally(view));
        return true;
      case "app.clipboard.copyPrompt":
        view.copy(editor.value());
        view.hint("Copied the input.");
        return true;
      case "app.help":
        return this.#command("hotkeys");
      case "app.clipboard.copyAnswer":
        return this.#command("copy");
      case "app.model.select":
        return this.#command("model");
      case "app.todo":
        return this.#command("todo");
      case "app.jobs":
        return this.#command("jobs");
      case "app.agents":
        return this.#command("agents");
      case "app.plan.toggle":
        return this.#command("plan");
      case "app.session.new":
        return this.#command("new");
      case "app.session.tree":
        return this.#command("tree");
      case "app.session.fork":
        return this.#command("fork");
      case "app.session.resume":
        return this.#command("resume");
      default:
        return view.moreActions(action);
    }
  }

  #escape(controller: Controller): boolean {
    const view = this.#view;
    const { isCompleting, vimMode, isEmpty, searchedFor } = view.editor;
    const isOfVim = !isEmpty && vimMode !== undefined && (vimMode !== "normal" || searchedFor !== undefined);
    if (isCompleting || isOfVim) return false;
    const now = view.machine.deps.now();
    const again = now - this.#lastEscape < TWICE_MS;
    this.#lastEscape = again ? Number.NEGATIVE_INFINITY : now;
    const question = view.panels.focused;
    if (question) {
      this.#giveUp(question, () => controller.stop());
      return true;
    }
    if (controller.stop()) return true;
    if (again) return this.#command("rewind");
    return false;
  }

  /** Questions of the work end with it; one of an MCP server outside of a call, or of an extension, ends here. */
  #giveUp(question: Panel, stop: () => void): void {
    stop();
    question.cancel();
  }

  #clear(controller: Controller): void {
    const view = this.#view;
    view.onCleared(view.editor.value());
    view.editor.erase();
    controller.cleared();
  }

  #dequeue(controller: Controller): boolean {
    const text = controller.takeBackQueued();
    if (text === "") return false;
    this.#view.prefill(text);
    return true;
  }

  #sendLater(controller: Controller): boolean {
    const { editor } = this.#view;
    if (editor.isEmpty) return true;
    const text = editor.value();
    const attached = this.#view.attached();
    this.#view.sent(text);
    void this.#view.tell(() => controller.sayLater(text, attached));
    return true;
  }

  /** What waits, and what is typed. */
  #sendNow(controller: Controller): boolean {
    const { editor } = this.#view;
    const text = [controller.takeBackQueued(), editor.value().trim()].filter((part) => part !== "").join("\n\n");
    if (text === "") return true;
    const attached = this.#view.attached();
    this.#view.sent(text);
    void this.#view.tell(() => controller.sayInstead(text, attached));
    return true;
  }

  /** Without a command that runs or is about to, the key belongs to the editor. */
  #background({ conversation }: Controller): boolean {
    const commands = conversation.sendToBackground();
    if (commands.length === 0) {
      if (!conversation.open.runningCommands.detachNext()) return false;
      this.#view.line("The command goes to the background as soon as it starts. See /jobs.", "dim");
      return true;
    }
    this.#view.line(`In the background: ${commands.join(", ")}. See /jobs.`, "dim");
    return true;
  }

  #command(name: string): boolean {
    void this.#view.tell((controller) => controller.command({ name, argument: "" }));
    return true;
  }
}

/** Without `full`: nobody gets there by pressing a key once too often. */
const CYCLED = PERMISSION_MODES.filter((mode) => mode !== "full");

function cyclePermission({ conversation }: Controller): void {
  const at = CYCLED.indexOf(conversation.permissions.mode as (typeof CYCLED)[number]);
  conversation.setPermissionMode(CYCLED[(at + 1) % CYCLED.length] ?? "ask");
}
