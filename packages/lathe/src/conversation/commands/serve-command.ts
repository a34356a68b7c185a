// /serve opens this session to other clients: a link for a browser with its QR code, and a command for `lathe attach`.

import { usageError } from "../../platform/usage/exit.ts";
import type { Conversation } from "../conversation.ts";
import type { SlashCommand } from "./command.ts";

/** How another client joins. */
export interface Invitation {
  /** Works once. */
  readonly link: string;
  /** The link as a QR code, in lines. */
  readonly code: string;
}

/** Opens the session to other clients and closes it again. The command that starts the host passes it in. */
export interface SessionOpener {
  /** Called again, it returns a further link. */
  open(conversation: Conversation): Promise<Invitation>;
  /** False if the session was not open. */
  stop(): Promise<boolean>;
  /** Called when the conversation begins. */
  begin(conversation: Conversation): Promise<void>;
  /** Called when the user leaves. */
  end(): Promise<void>;
}

export const serveCommand = (opener: SessionOpener): SlashCommand => ({
  name: "serve",
  arguments: "[stop]",
  description: "open this session to your browser, phone and other terminals",
  whileWorking: true,
  complete: (_conversation, typed) => ["stop"].filter((word) => word.startsWith(typed)),
  run: async (conversation, argument, view) => {
    if (argument === "stop") {
      view.line(
        (await opener.stop()) ? "This session is closed to other clients." : "This session was not open.",
        "dim",
      );
      return;
    }
    if (argument !== "") throw usageError(`/serve takes no argument or "stop", not "${argument}".`);
    if (conversation.open.journal.path === undefined)
      throw usageError("/serve needs a saved session (this one was started with --no-session).");
    const { link, code } = await opener.open(conversation);
    const attach = `lathe attach ${conversation.session.id.slice(0, 8)}`;
    view.line(`${code}\nOpen in a browser, once and within 10 minutes:\n${link}\nIn another terminal: ${attach}`);
    view.line("To close it to other clients: /serve stop", "dim");
  },
});
