import { FlexibleRateLimiter } from '../../../src/adapters/rate-limiting/flexible-rate-limiter.ts';
import type { RateLimiterUnderTest } from '../../../src/conformance/rate-limiter-under-test.ts';

/** What a look does to the process that runs the checks, by the name in the variable `FAULT`. */
const FAULTS: Readonly<Record<string, () => unknown>> = {
  async microtasks() {
    for (;;) await Promise.resolve();
  },
  loop() {
    process.on('SIGTERM', () => undefined);
    for (;;);
  },
  never: () => new Promise(() => undefined),
  exit: () => process.exit(0),
  rejection() {
    void Promise.reject(new Error('It was dropped.'));
  },
  'late rejection'() {
    setImmediate(() => Promise.reject(new Error('It was dropped.')));
  },
  causes() {
    const cause = new TypeError('The socket is closed.', { cause: 'ECONNRESET' });
    throw new Error('The counter does not respond.', { cause });
  },
};

class Faulty extends FlexibleRateLimiter {
  override async look(...client: Parameters<FlexibleRateLimiter['look']>) {
    await FAULTS[process.env['FAULT'] ?? '']?.();
    return super.look(...client);
  }
}

export const rateLimiter: RateLimiterUnderTest = {
  gaps: { advance: 'It goes by the time of the world.' },
  open: async () => ({ limiter: new Faulty({ perMinute: 50, burst: 20 }), dispose: async () => undefined }),
};

if (process.env['FAULT'] === 'exit while loading') process.exit(0);
if (process.env['FAULT'] === 'loop while loading') for (;;);
