import { ContainerModule } from 'inversify';
import { ApiKeyVerifier } from '../application/api-key-verifier.ts';
import { Clock } from '../application/ports/clock.ts';
import { CredentialVerifier } from '../application/ports/credential-verifier.ts';
import { Log } from '../application/ports/log.ts';
import { RateLimiter } from '../application/ports/rate-limiter.ts';
import { isRateLimited, OptionRefused, type PetstoreOptions, SETTINGS } from './options.ts';

/** Authentication and rate limits. What is off is not bound, and its modules are not loaded. */
export function accessModule(options: PetstoreOptions): ContainerModule {
  const { auth, jwtIssuer = '', jwtAudience = '', jwtKeys = '', jwtAlgorithms, jwtClockTolerance } = options;
  return new ContainerModule(async ({ bind }) => {
    if (auth.includes('api-key')) bind(CredentialVerifier).toService(ApiKeyVerifier);
    if (auth.includes('jwt')) {
      const { JwtVerifier } = await import('../adapters/jwt/jwt-verifier.ts');
      const keys = /^https?:/i.test(jwtKeys) ? { url: jwtKeys } : { file: jwtKeys };
      if ('file' in keys) await assertKeyFile(keys.file);
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

/** A provider may be unavailable at the start; a missing or malformed file is a mistake. */
async function assertKeyFile(file: string): Promise<void> {
  const { readText } = await import('../adapters/jwt/key-documents.ts');
  const { keySetOf } = await import('../adapters/jwt/issuer-keys.ts');
  try {
    keySetOf(await readText(file));
  } catch {
    throw new OptionRefused(
      `${SETTINGS.jwtKeys.variable} was ${JSON.stringify(file)}; it must be ${SETTINGS.jwtKeys.expects}, and there is no such file, or no JWK set in it.`,
    );
  }
}

async function countingIn(databaseUrl: string) {
  const { PostgresCounting } = await import('../adapters/rate-limiting/postgres-counting.ts');
  return new PostgresCounting(databaseUrl);
}
