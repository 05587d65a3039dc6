/**
 * The version of all ports together, a whole number. It is incremented when a correct adapter may become incorrect: when a port gains,
 * loses or changes a required member, or guarantees more than before. It stays the same when a port gains an optional
 * member, and when only comments change.
 *
 * An adapter states the version that it was written for (`adapterModule({ ports: 1 }, …)`). The service refuses an adapter of another
 * version in one line. The changelog of the package lists the changed members, `tsc` finds missing ones, and the
 * conformance kit tests the new guarantees.
 */
export const PORTS_VERSION = 1;
