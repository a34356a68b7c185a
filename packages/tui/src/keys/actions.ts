// The actions of editors and lists, with their default keys.

import type { Action } from "./bindings.ts";

const editor = (id: string, description: string, ...chords: string[]): Action => ({
  id: `tui.${id}`,
  description,
  chords,
  context: "editor",
});

export const EDITOR_ACTIONS: readonly Action[] = [
  editor("editor.cursorUp", "Move the cursor up", "up"),
  editor("editor.cursorDown", "Move the cursor down", "down"),
  editor("editor.cursorLeft", "Move the cursor left", "left", "ctrl+b"),
  editor("editor.cursorRight", "Move the cursor right", "right", "ctrl+f"),
  editor("editor.cursorWordLeft", "Move one word left", "alt+left", "ctrl+left", "alt+b"),
  editor("editor.cursorWordRight", "Move one word right", "alt+right", "ctrl+right", "alt+f"),
  editor("editor.cursorLineStart", "Move to the start of the line", "home", "ctrl+a"),
  editor("editor.cursorLineEnd", "Move to the end of the line", "end", "ctrl+e"),
  editor("editor.cursorTextStart", "Move to the start of the text", "ctrl+home", "alt+<"),
  editor("editor.cursorTextEnd", "Move to the end of the text", "ctrl+end", "alt+>"),
  editor("editor.jumpForward", "Jump forward to the character that you type next", "ctrl+]"),
  editor("editor.jumpBackward", "Jump back to the character that you type next", "ctrl+alt+]"),
  editor("editor.pageUp", "Scroll up by a page", "pageUp"),
  editor("editor.pageDown", "Scroll down by a page", "pageDown"),
  editor("editor.deleteCharBackward", "Delete the character before the cursor", "backspace", "shift+backspace"),
  editor("editor.deleteCharForward", "Delete the character at the cursor", "delete", "ctrl+d"),
  editor("editor.deleteWordBackward", "Delete the word before the cursor", "ctrl+w", "alt+backspace", "ctrl+backspace"),
  editor("editor.deleteWordForward", "Delete the word after the cursor", "alt+delete", "alt+d"),
  editor("editor.deleteToLineStart", "Delete to the start of the line", "ctrl+u"),
  editor("editor.deleteToLineEnd", "Delete to the end of the line", "ctrl+k"),
  editor("editor.yank", "Insert what you deleted last", "ctrl+y"),
  editor("editor.yankPop", "Replace it with what you deleted before that", "alt+y"),
  editor("editor.undo", "Undo", "ctrl+-", "ctrl+_", "ctrl+shift+-"),
  editor("editor.redo", "Redo", "alt+-", "ctrl+shift+z"),
  editor("editor.expandMark", "Show the text of the paste at the cursor", "alt+e"),
  editor("input.newLine", "Begin a new line", "shift+enter", "ctrl+j"),
  editor("input.submit", "Send", "enter"),
  editor("input.tab", "Complete", "tab"),
  editor("input.copy", "Copy the selection", "ctrl+c"),
];

const select = (id: string, description: string, ...chords: string[]): Action => ({
  id: `tui.select.${id}`,
  description,
  chords,
  context: "select",
});

/** The actions of lists. */
export const SELECT_ACTIONS: readonly Action[] = [
  select("up", "Go up", "up"),
  select("down", "Go down", "down"),
  select("pageUp", "Go up by a page", "pageUp"),
  select("pageDown", "Go down by a page", "pageDown"),
  select("first", "Go to the first", "home"),
  select("last", "Go to the last", "end"),
  select("confirm", "Choose", "enter"),
  select("toggle", "Mark, if you can choose several", "tab"),
  select("cancel", "Cancel", "escape", "ctrl+c"),
];
