/** What a caller may be allowed to do. `pets:…` is pets and categories, `store:…` orders and inventory, `admin` everything. */
export const SCOPES = [
  'pets:read',
  'pets:write',
  'store:read',
  'store:write',
  'events:read',
  'webhooks:write',
  'admin',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Whether the `granted` scopes allow what requires `needed`. */
export function covers(granted: ReadonlySet<Scope>, needed: Scope): boolean {
  return granted.has(needed) || granted.has('admin');
}
