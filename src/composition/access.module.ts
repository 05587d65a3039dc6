import { ContainerModule } from 'inversify';
import { ApiKeyVerifier } from '../application/api-key-verifier.ts';
import { Clock } from '../application/ports/clock.ts';
import { CredentialVerifier } from '../application/ports/credential-verifier.ts';
import { Log } from '../application/ports/log.ts';
import { RateLimiter } from '../application/ports/rate-limiter.ts';
import { isRateLimited, type PetstoreOptions } from './options.ts';

/** Who may call, and how often. Where nobody is asked or limited, nothing is bound, and what it needs is not even loaded. */
export function accessModule(options: PetstoreOptions): ContainerModule {
  const { auth, jwtIssuer = '', jwtAudience = '', jwtKeys = '', jwtAlgorithms, jwtClockTolerance } = options;
  return new ContainerModule(async ({ bind }) => {
    if (auth.includes('api-key')) bind(CredentialVerifier).toService(ApiKeyVerifier);
    if (auth.includes('jwt')) {
      const { JwtVerifier } = await import('../adapters/jwt/jwt-verifier.ts');
      const keys = /^https?:/i.test(jwtKeys) ? { url: jwtKeys } : { file: jwtKeys };
      bind(CredentialVerifier)
        .toResolvedValue(
          (clock, log) =>
            new JwtVerifier(
              {
                issuer: jwtIssuer,
                audience: jwtAudience,
                keys,
                algorithms: jwtAlgorithms,
                clockTolerance: jwtClockTolerance,
                maxCacheAge: 600,
              },
              clock,
              log,
            ),
          [Clock, Log],
        )
        .inSingletonScope();
    }
    if (isRateLimited(options)) {
      const { FlexibleRateLimiter } = await import('../adapters/rate-limiting/flexible-rate-limiter.ts');
      const { ratePerMinute: perMinute, rateBurst: burst, rateStore, databaseUrl } = options;
      const counting = rateStore === 'database' ? await countingIn(databaseUrl) : undefined;
      bind(RateLimiter)
        .toResolvedValue(() => new FlexibleRateLimiter({ perMinute, burst }, counting))
        .inSingletonScope();
    }
  });
}

async function countingIn(databaseUrl: string) {
  const { PostgresCounting } = await import('../adapters/rate-limiting/postgres-counting.ts');
  return new PostgresCounting(databaseUrl);
}
