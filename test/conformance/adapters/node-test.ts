import { runWithNodeTest } from '../../../src/conformance/node-test.ts';
import { rateLimiterSuite } from '../../../src/conformance/rate-limiter-suite.ts';
import { rateLimiter } from './broken.ts';

runWithNodeTest(rateLimiterSuite('The limiter', rateLimiter));
