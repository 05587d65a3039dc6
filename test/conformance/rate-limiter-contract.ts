import { runWithMocha } from '../../src/conformance/mocha.ts';
import { type OpenedLimiter, rateLimiterSuite } from '../../src/conformance/rate-limiter-suite.ts';

export type OpenRateLimiter = () => Promise<OpenedLimiter>;

/** The promises of the port `RateLimiter`, as tests that every adapter passes. */
export function rateLimiterContract(name: string, open: OpenRateLimiter): void {
  runWithMocha(rateLimiterSuite(name, { open }));
}
