// Messages of others inside our own: those of providers and of the system end in a full stop, or do not.

/** Ends like a sentence, once. */
export const sentence = (message: string): string => {
  const text = message.trimEnd();
  return /[.!?…。]$/u.test(text) ? text : `${text}.`;
};
