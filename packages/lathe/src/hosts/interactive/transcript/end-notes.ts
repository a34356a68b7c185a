// Notes about failures and the end of an input. Several events may report the same failure, but it is shown once.

import type { EventData, SessionEvent } from "@lathe/agent";
import { verificationLine } from "../../../sessions/verdict.ts";
import { joinLines } from "../../headless/outcome.ts";
import { REPEATED_AT_END } from "../../headless/warning-codes.ts";
import { InputEndings } from "../input-endings.ts";
import type { NoteKind } from "./item.ts";

/** Codes of messages that are not warnings: the user asked for them. */
const ANSWERS: ReadonlySet<string> = new Set(["memory"]);

type AddNote = (text: string, note: NoteKind) => void;

export class EndNotes {
  readonly #note: AddNote;
  readonly #endings = new InputEndings(true);
  /** The line about the end of an input, if the last event was one. */
  #ending: string | undefined;
  /** A command ran without some of the user's variables for the first time. */
  #hasWithheld = false;
  #error: string | undefined;
  /** The last note about a failure. */
  #told = "";

  constructor(note: AddNote) {
    this.#note = note;
  }

  /** Called for every event before it is shown. */
  observe(event: SessionEvent): void {
    this.#ending = this.#endings.after(event);
  }

  addWarning({ message, code }: { readonly message: string; readonly code: string }): void {
    // The warning comes in the middle of the first command, but can wait until the work is done.
    if (code === "withheld_variables") this.#hasWithheld = true;
    else if (!REPEATED_AT_END.has(code)) this.#note(joinLines(message), ANSWERS.has(code) ? "info" : "warning");
  }

  /** During work this waits: the end of the input repeats the error, with what to do about it. */
  addError(message: string, isBusy: boolean): void {
    if (isBusy) this.#error = message;
    else this.noteOnce(joinLines(message));
  }

  /** Several events report what ended a session. */
  noteOnce(error: string): void {
    if (!this.#told.includes(error)) this.#note(error, "error");
    this.#told = error;
  }

  inputEnd(data: EventData["processing_end"]): void {
    this.#noteEnd(data);
    const proof = verificationLine(data.verification);
    if (proof !== undefined)
      this.#note(joinLines(proof), data.verification?.verdict === "verified" ? "info" : "warning");
    if (this.#hasWithheld) this.#note("Some environment variables are hidden from commands; see /status", "info");
    this.#hasWithheld = false;
    this.#error = undefined;
  }

  /** The words are those of print mode, without its commands to continue, because the conversation is still open. */
  #noteEnd({ reason, awaiting }: EventData["processing_end"]): void {
    if (reason === "interrupted" || reason === "aborted") {
      this.#note("Interrupted.", "warning");
      return;
    }
    if (awaiting) return;
    this.#told = this.#ending ?? this.#error ?? "";
    if (this.#ending !== undefined) this.#note(this.#ending, reason === "completed" ? "warning" : "error");
    else if (this.#error !== undefined) this.#note(joinLines(this.#error), "error");
  }
}
