import { RateLimiter } from '../../../src/application/ports/rate-limiter.ts';
import { adapterModule } from '../../../src/composition/adapter-module.ts';

const policy = { name: 'acme', quota: 2, window: 60 };

/** Allows two requests in all. */
export default adapterModule({ ports: 1 }, ({ bind }) => {
  let left: number = policy.quota;
  bind(RateLimiter).toConstantValue({
    policies: [policy],
    async take() {
      const allowed = left > 0;
      left = Math.max(left - 1, 0);
      return { allowed, remainders: [{ policy, left, reset: 60 }] };
    },
    look: async () => ({ allowed: left > 0, remainders: [{ policy, left, reset: 60 }] }),
    close: async () => undefined,
  });
});
