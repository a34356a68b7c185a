// A promise that is resolved or rejected from outside.

export function makePending(): { readonly promise: Promise<void>; readonly settle: () => void } {
  let settle = (): void => {};
  const promise = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
}
