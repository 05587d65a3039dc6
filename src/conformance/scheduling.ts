/** Lets all other work that is ready run, `times` times. */
export async function yieldToEventLoop(times = 1): Promise<void> {
  for (let i = 0; i < times; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Keeps others waiting for `opened` until it is opened. */
export function latch(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
