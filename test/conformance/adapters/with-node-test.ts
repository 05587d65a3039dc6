import { afterEach, beforeEach, describe, it } from 'node:test';
import { rateLimiterSuite } from '../../../src/conformance/rate-limiter-suite.ts';
import { rateLimiter } from './broken.ts';

rateLimiterSuite(rateLimiter, { describe, it, beforeEach, afterEach });
