import { ContainerModule } from 'inversify';
import { RateLimiter } from '../../../src/application/ports/rate-limiter.ts';

export default new ContainerModule(({ bind }) => {
  bind(RateLimiter).toConstantValue({ policies: [] as const } as unknown as RateLimiter);
});
