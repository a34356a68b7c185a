// Foreign messages inside our own: those of providers and of the system may or may not end with a full stop.

/** Ends the message with exactly one full stop. */
export const sentence = (message: string): string => {
  const text = message.trimEnd();
  return /[.!?…。]$/u.test(text) ? text : `${text}.`;
};
