// A promise that somebody else settles.

export function pending(): { readonly promise: Promise<void>; readonly settle: () => void } {
  let settle = (): void => {};
  const promise = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
}
