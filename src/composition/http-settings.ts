import type { Container } from 'inversify';
import type { HttpSettings } from '../adapters/http/settings.ts';
import { RateLimiter } from '../application/ports/rate-limiter.ts';
import type { PetstoreOptions } from './options.ts';

/** The options of the HTTP adapter. */
export function httpSettings(options: PetstoreOptions, container: Container): HttpSettings {
  const {
    basePath,
    publicUrl,
    corsOrigins,
    corsHeaders,
    unstable,
    requireIfMatch,
    trustedProxies,
    limits,
    auth,
    openNetwork,
  } = options;
  return {
    basePath,
    publicUrl,
    corsOrigins: corsOrigins ?? (auth === 'open' ? 'loopback' : []),
    corsHeaders,
    allowedHosts: auth === 'open' && !openNetwork ? options.allowedHosts : 'any',
    unstable,
    requireIfMatch,
    getPet: { since: options.getPetDeprecated, sunset: options.getPetSunset },
    credentials: {
      apiKey: auth.includes('api-key'),
      issuer: auth.includes('jwt') ? options.jwtIssuer : undefined,
    },
    // A module that is loaded later may bind or replace a limiter.
    get rateLimited() {
      return container.isBound(RateLimiter);
    },
    trustedProxies,
    limits,
  };
}
