export { FixedClock } from '../../src/conformance/fixed-clock.ts';
