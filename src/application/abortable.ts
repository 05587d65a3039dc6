/**
 * Settles like the promise, or rejects with the reason of the signal as soon as that is aborted. For adapters: what the promise
 * stands for continues, and its outcome is ignored.
 */
export function abortable<Result>(promise: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
