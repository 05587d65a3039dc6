import type { ErrorCode } from '../errors/error-code.ts';
import type { Operation } from '../operation.ts';
import { type ApiSettings, type CredentialKinds, requiresAuthentication } from '../settings.ts';
import type { Json } from './schema-objects.ts';

const HEADER = {
  type: 'apiKey',
  in: 'header',
  name: 'X-API-Key',
  description: 'An API key of this service.',
} as const;

/** `components.securitySchemes`. Without authentication, the schemes for keys remain, because clients may still send a key. */
export function securitySchemes({ apiKey, issuer }: CredentialKinds): Json {
  const kinds = [...(apiKey || !issuer ? ['an API key'] : []), ...(issuer ? [`a token of ${issuer}`] : [])];
  return {
    ...((apiKey || !issuer) && { ApiKey: HEADER }),
    Bearer: { type: 'http', scheme: 'bearer', description: `Accepts ${kinds.join(' or ')} (RFC 6750).` },
    ...(issuer && {
      OpenId: {
        type: 'openIdConnect',
        openIdConnectUrl: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
        description: `A token of ${issuer}, sent as a bearer token, with the scopes that each operation names.`,
      },
    }),
  };
}

/** The alternatives that an operation accepts. Only OpenID Connect can name scopes here; `x-required-scope` names them for all. */
export function securityOf({ scope, furtherScopes = [] }: Operation, credentials: CredentialKinds): Json[] {
  const { apiKey, issuer } = credentials;
  return [
    ...(requiresAuthentication(credentials) ? [] : [{}]),
    ...(apiKey || !issuer ? [{ ApiKey: [] }] : []),
    { Bearer: [] },
    ...(issuer ? [{ OpenId: [scope, ...furtherScopes] }] : []),
  ];
}

/** The refusals that come before the operation itself. */
export function accessErrors(settings: ApiSettings): ErrorCode[] {
  return [
    ...(settings.allowedHosts === 'any' ? [] : (['forbidden_host'] as const)),
    ...(requiresAuthentication(settings.credentials) ? (['unauthenticated', 'insufficient_scope'] as const) : []),
    ...(settings.rateLimited ? (['rate_limited'] as const) : []),
  ];
}
