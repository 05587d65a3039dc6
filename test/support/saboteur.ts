export { Saboteur } from '../../src/conformance/saboteur.ts';
