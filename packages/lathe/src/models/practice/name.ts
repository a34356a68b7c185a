// The name of the practice model.

export const PRACTICE_PROVIDER = "practice";
export const PRACTICE = `${PRACTICE_PROVIDER}/basic`;
