import { createServer } from 'node:http';
import { createPetstore } from 'petstore-service';
import { AccessControl } from 'petstore-service/application/access-control';
import { answering } from './server.ts';
import { ClassicShop } from './shop.ts';

// Both transports in front of one store: ours and the classic one, each on a port of its own, by the same rules.
const host = process.env['HOST'] ?? '127.0.0.1';
const openNetwork = process.env['PETSTORE_OPEN_NETWORK'] === 'on';
const allowedHosts = (process.env['PETSTORE_ALLOWED_HOSTS'] ?? '').split(',').flatMap((name) => name.trim() || []);
const petstore = await createPetstore({
  databaseUrl: process.env['DATABASE_URL'] ?? 'memory:',
  host,
  port: Number(process.env['PORT'] ?? 8080),
  openNetwork,
  auth: process.env['PETSTORE_AUTH'] === 'api-key' ? ['api-key'] : 'open',
  firstKey: process.env['PETSTORE_FIRST_KEY'],
  allowedHosts,
  demo: process.env['PETSTORE_DEMO'] !== 'off',
  logLevel: 'warn',
});
const { container } = petstore;
const hosts = openNetwork ? 'any' : allowedHosts;
const server = createServer(answering(new ClassicShop(container), container.get(AccessControl), hosts));
server.listen(Number(process.env['CLASSIC_PORT'] ?? 8081), host, () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  console.log(JSON.stringify({ store: petstore.url, classic: `http://127.0.0.1:${port}` }));
});

process.once('SIGTERM', () => {
  server.close(() => void petstore.close());
  server.closeIdleConnections();
});
