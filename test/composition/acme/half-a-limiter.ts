import { RateLimiter } from '../../../src/application/ports/rate-limiter.ts';
import { adapterModule } from '../../../src/composition/adapter-module.ts';

export default adapterModule({ ports: 1 }, ({ bind }) => {
  bind(RateLimiter).toConstantValue({ policies: [] as const } as unknown as RateLimiter);
});
