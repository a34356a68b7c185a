// What the app's own keys do. Editing keys belong to the editor, and list keys to the list.

import { PERMISSION_MODES } from "@lathe/agent/policy";
import type { Key, KeyPress } from "@lathe/tui";
import { EXIT } from "../../platform/usage/exit.ts";
import type { AppAction } from "./actions.ts";
import type { Composer } from "./composer.ts";
import type { Controller } from "./controller.ts";
import type { Panel } from "./panels/panel-stack.ts";
import type { ScreenParts } from "./screen-parts.ts";
import { isLeavingKey } from "./start-screen.ts";

/** Escape pressed twice within this time opens the list of earlier messages. */
const TWICE_MS = 600;

export interface KeyboardParts {
  readonly screen: ScreenParts;
  readonly composer: Composer;
  /** Runs actions that need more than the composer and the conversation; false if the action is none of them. */
  runMore(action: AppAction): boolean;
  /** Handles a key that has no meaning here as an extension's shortcut. */
  handleExtensionKey(key: KeyPress): boolean;
}

export class Keyboard {
  readonly #screen: ScreenParts;
  readonly #composer: Composer;
  readonly #parts: KeyboardParts;
  #lastEscape = Number.NEGATIVE_INFINITY;

  constructor(parts: KeyboardParts) {
    this.#parts = parts;
    this.#screen = parts.screen;
    this.#composer = parts.composer;
  }

  /** Handles a key of the app; false if it is none. Until the conversation is open, only quitting works. */
  handle(key: Key): boolean {
    if (key.kind !== "key") return false;
    const { link, bindings, leave } = this.#screen;
    const { controller } = link;
    if (!controller) {
      if (isLeavingKey(key)) leave(EXIT.interrupted);
      return isLeavingKey(key);
    }
    if (this.#emptyUp(key, controller)) return true;
    const action = bindings.match(key, "app") as AppAction | undefined;
    if (action !== "app.clear" && action !== "app.exit") controller.disarm();
    if (this.#asksForKeys(key)) return this.#command("hotkeys");
    return action === undefined ? this.#parts.handleExtensionKey(key) : this.#run(action, controller);
  }

  /** Up in an empty composer takes back queued messages. */
  #emptyUp({ name, ctrl, alt, shift }: KeyPress, controller: Controller): boolean {
    if (name !== "up" || ctrl || alt || shift || !this.#composer.editor.isEmpty) return false;
    return this.#dequeue(controller);
  }

  /** A question mark in an empty composer; during a question or inside a text it is typed. */
  #asksForKeys({ text }: KeyPress): boolean {
    return text === "?" && this.#composer.editor.isEmpty && !this.#screen.panels.focused;
  }

  /** False: the key goes on to the editor. */
  #run(action: AppAction, controller: Controller): boolean {
    const { panels, surface, link, hint } = this.#screen;
    const { editor } = this.#composer;
    switch (action) {
      case "app.interrupt":
        return this.#escape(controller);
      case "app.clear":
        // While a question has the keys, the composer is hidden.
        if (panels.focused) this.#giveUp(panels.focused, () => controller.interrupt());
        else if (editor.isEmpty) controller.interrupt();
        else this.#clear(controller);
        return true;
      case "app.exit":
        if (!editor.isEmpty) return false;
        controller.exit();
        return true;
      case "app.suspend":
        surface.suspend();
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
        void link.tell(async () => (await import("./external-editor.ts")).editExternally(this.#screen, editor));
        return true;
      case "app.clipboard.copyPrompt":
        surface.terminal.copy(editor.value());
        hint.show("Copied the input.");
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
        return this.#parts.runMore(action);
    }
  }

  #escape(controller: Controller): boolean {
    const { isCompleting, vimMode, isEmpty, searchedFor } = this.#composer.editor;
    const isOfVim = !isEmpty && vimMode !== undefined && (vimMode !== "normal" || searchedFor !== undefined);
    if (isCompleting || isOfVim) return false;
    const now = this.#screen.machine.deps.now();
    const again = now - this.#lastEscape < TWICE_MS;
    this.#lastEscape = again ? Number.NEGATIVE_INFINITY : now;
    const question = this.#screen.panels.focused;
    if (question) {
      this.#giveUp(question, () => controller.stop());
      return true;
    }
    if (controller.stop()) return true;
    if (again) return this.#command("rewind");
    return false;
  }

  /**
   * Stopping the work ends its questions; one of an MCP server outside a call, or of an extension, is cancelled here.
   */
  #giveUp(question: Panel, stop: () => void): void {
    stop();
    question.cancel();
  }

  #clear(controller: Controller): void {
    this.#composer.clear();
    controller.armAfterClear();
  }

  #dequeue(controller: Controller): boolean {
    const text = controller.takeBackQueued();
    if (text === "") return false;
    this.#composer.prefill(text);
    return true;
  }

  #sendLater(controller: Controller): boolean {
    const { editor } = this.#composer;
    if (editor.isEmpty) return true;
    const text = editor.value();
    const attached = this.#composer.take(text);
    void this.#screen.link.tell(() => controller.sayLater(text, attached));
    return true;
  }

  /** Sends queued messages together with what is typed. */
  #sendNow(controller: Controller): boolean {
    const { editor } = this.#composer;
    const text = [controller.takeBackQueued(), editor.value().trim()].filter((part) => part !== "").join("\n\n");
    if (text === "") return true;
    const attached = this.#composer.take(text);
    void this.#screen.link.tell(() => controller.sayInstead(text, attached));
    return true;
  }

  /** If no command is running or about to run, the key belongs to the editor. */
  #background({ conversation }: Controller): boolean {
    const commands = conversation.sendToBackground();
    if (commands.length === 0) {
      if (!conversation.open.runningCommands.detachNext()) return false;
      this.#screen.scrollback.line("The command goes to the background as soon as it starts. See /jobs.", "dim");
      return true;
    }
    this.#screen.scrollback.line(`Moved to the background: ${commands.join(", ")}. See /jobs.`, "dim");
    return true;
  }

  #command(name: string): boolean {
    void this.#screen.link.tell((controller) => controller.command({ name, argument: "" }));
    return true;
  }
}

/** Without `full`: one key press too many must not allow everything. */
const CYCLED = PERMISSION_MODES.filter((mode) => mode !== "full");

function cyclePermission({ conversation }: Controller): void {
  const at = CYCLED.indexOf(conversation.permissions.mode as (typeof CYCLED)[number]);
  conversation.setPermissionMode(CYCLED[(at + 1) % CYCLED.length] ?? "ask");
}
