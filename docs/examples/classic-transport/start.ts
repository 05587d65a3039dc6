import { createServer } from 'node:http';
import { createPetstore } from 'petstore';
import { answering } from './server.ts';
import { ClassicShop } from './shop.ts';

// Both transports in front of one store: ours and the classic one, each on a port of its own, for this machine only.
const petstore = await createPetstore({
  databaseUrl: process.env['DATABASE_URL'] ?? 'memory:',
  port: Number(process.env['PORT'] ?? 8080),
  demo: process.env['PETSTORE_DEMO'] !== 'off',
  logLevel: 'warn',
});
const server = createServer(answering(new ClassicShop(petstore.container)));
server.listen(Number(process.env['CLASSIC_PORT'] ?? 8081), '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  console.log(JSON.stringify({ store: petstore.url, classic: `http://127.0.0.1:${port}` }));
});

process.once('SIGTERM', () => {
  server.close(() => void petstore.close());
  server.closeIdleConnections();
});
