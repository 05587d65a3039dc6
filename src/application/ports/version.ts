/**
 * The version of all ports together, a whole number. It grows by one when an adapter that was right may be so no longer: when a port
 * gains, loses or changes a member that an adapter must have, or promises more than before. It stays when a port gains a
 * member that an adapter may leave out (it is optional in the type), and when only comments change.
 *
 * An adapter states the version that it was written for (`adapterModule({ ports: 1 }, …)`). The service starts with adapters of
 * its own version only. After a port has gained a member, an older adapter is refused in one line; the changelog of the
 * package lists the members, `tsc` finds the missing ones, and the conformance kit tests the new promises.
 */
export const PORTS_VERSION = 1;
