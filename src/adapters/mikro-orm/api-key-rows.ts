import type { ApiKeySnapshot } from '../../domain/api-key.ts';
import type { Scope } from '../../domain/scope.ts';

export interface ApiKeyRow {
  readonly id: number;
  readonly name: string;
  readonly scopes: string;
  readonly digest: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

const KEYS = `select id, name, scopes, digest, created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt"
  from api_keys`;

export const API_KEY = `${KEYS} where id = ?`;
export const API_KEYS = `${KEYS} order by id`;

export function showApiKey({ id, name, scopes, digest, createdAt, expiresAt, revokedAt }: ApiKeyRow): ApiKeySnapshot {
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
