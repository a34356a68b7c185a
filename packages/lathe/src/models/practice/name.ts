// What the practice model is called.

export const PRACTICE_PROVIDER = "practice";
export const PRACTICE = `${PRACTICE_PROVIDER}/basic`;
