import { FlexibleRateLimiter } from '../../../src/adapters/rate-limiting/flexible-rate-limiter.ts';
import type { RateLimiterUnderTest } from '../../../src/conformance/rate-limiter-under-test.ts';

/** Its looks count, as if they were requests. */
class Forgetful extends FlexibleRateLimiter {
  override look(...client: Parameters<FlexibleRateLimiter['take']>) {
    return this.take(...client);
  }
}

export const rateLimiter: RateLimiterUnderTest = {
  gaps: { advance: 'It goes by the time of the world.' },
  open: async () => ({ limiter: new Forgetful({ perMinute: 50, burst: 20 }), dispose: async () => undefined }),
};
