import type { ApiKeySnapshot } from '../../domain/api-key.ts';
import type { Scope } from '../../domain/scope.ts';
import { statement } from './statement.ts';
import type { RowOf } from './tables.ts';

const COLUMNS = ['id', 'name', 'scopes', 'digest', 'createdAt', 'expiresAt', 'revokedAt'] as const;

export const API_KEY = statement((db, { id }: { id: number }) =>
  db.selectFrom('api_keys').select(COLUMNS).where('id', '=', id),
);

export const LOCK_API_KEY = statement((db, { id }: { id: number }, { locksRows }) =>
  db
    .selectFrom('api_keys')
    .select(COLUMNS)
    .where('id', '=', id)
    .$if(locksRows, (query) => query.forUpdate()),
);

export const API_KEYS = statement((db) => db.selectFrom('api_keys').select(COLUMNS).orderBy('id'));

export function showApiKey(row: RowOf<'api_keys'>): ApiKeySnapshot {
  const { id, name, scopes, digest, createdAt, expiresAt, revokedAt } = row;
  return {
    id,
    name,
    scopes: JSON.parse(scopes) as Scope[],
    digest,
    createdAt,
    ...(expiresAt !== null && { expiresAt }),
    ...(revokedAt !== null && { revokedAt }),
  };
}
