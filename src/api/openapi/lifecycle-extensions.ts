import type { Operation } from '../operation.ts';

const LEVELS = { beta: 'beta', experimental: 'alpha' } as const;
const BADGES = {
  beta: [{ name: 'Beta', position: 'before', color: '#8250df' }],
  experimental: [{ name: 'Experimental', position: 'before', color: '#bc4c00' }],
} as const;

/** The only source of the extensions in which tools read the stability and deprecation of an operation. */
export function lifecycleExtensions({
  stability,
  deprecation,
}: Pick<Operation, 'stability' | 'deprecation'>): Readonly<Record<string, unknown>> {
  const sunset = deprecation && new Date(deprecation.sunset).toISOString().slice(0, 10);
  return {
    ...(stability
      ? { 'x-stability': stability, 'x-stability-level': LEVELS[stability], 'x-badges': BADGES[stability] }
      : { 'x-stability-level': 'stable' }),
    ...(stability === 'experimental' && { 'x-scalar-stability': 'experimental' }),
    ...(deprecation && { deprecated: true, 'x-sunset': sunset, 'x-deprecated-sunset': sunset }),
  };
}

/** Begins the names of the responses of unstable and deprecated operations, which have headers of their own. */
export function lifecyclePrefix({ stability, deprecation }: Operation): string {
  const prefix = stability ? `${stability.charAt(0).toUpperCase()}${stability.slice(1)}` : '';
  return deprecation ? `Deprecated${prefix}` : prefix;
}
