// Text of others that is put between tags of ours: no part of it can end the frame, or begin one that names another sender.

const TAG = /<(?=\s*\/?\s*(?:agent_result|irc_message|background_jobs?)\b)/gi;

/** Reads the same to a model, but holds no tag that messages to it are framed with. */
export const escapeFrames = (text: string): string => text.replace(TAG, "&lt;");
