// Foreign text that we put between tags of our own: it must not be able to close the frame, or open one that names
// another sender.

const TAG = /<(?=\s*\/?\s*(?:agent_result|irc_message|background_jobs?)\b)/gi;

/** Reads the same to a model, but contains none of the tags that frame messages to it. */
export const escapeFrames = (text: string): string => text.replace(TAG, "&lt;");
