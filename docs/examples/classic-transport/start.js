#!/usr/bin/env node
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createPetstore, OptionRefused, optionsFrom } from 'petstore-service';
import { AccessControl } from 'petstore-service/application/access-control';
import { classicListener } from './server.js';
import { ClassicShop } from './shop.js';

/*
 * Starts both transports in front of one store: the store's own on PORT, the classic one on CLASSIC_PORT, with the settings of the
 * store. Without DATABASE_URL nothing is kept.
 */

try {
  await start(process.env);
} catch (error) {
  if (!(error instanceof OptionRefused)) throw error;
  for (const line of error.message.split('\n')) process.stderr.write(`petstore-classic: ${line}\n`);
  process.exitCode = 2;
}

async function start(environment) {
  const classicPort = portOf(environment.CLASSIC_PORT || '8081');
  const options = optionsFrom({ DATABASE_URL: 'memory:', PETSTORE_LOG_LEVEL: 'warn', ...environment });
  const petstore = await createPetstore(options);
  const { container } = petstore;
  const { host, corsHeaders } = options;
  const isOpen = options.auth === 'open';
  const corsOrigins = options.corsOrigins ?? (isOpen ? 'loopback' : []);
  const allowedHosts = isOpen && !options.openNetwork ? options.allowedHosts : 'any';
  const server = createServer(
    { keepAliveTimeout: options.limits.keepAlive },
    classicListener(new ClassicShop(container), container.get(AccessControl), {
      allowedHosts,
      corsOrigins,
      corsHeaders,
    }),
  );

  const stop = () => {
    server.close(() => void petstore.close());
    server.closeIdleConnections();
  };
  try {
    server.listen(classicPort, host);
    await once(server, 'listening');
  } catch (error) {
    await petstore.close();
    throw new OptionRefused(`CLASSIC_PORT was ${classicPort}, which cannot be used on ${host} (${error.code}).`);
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, stop);
  const name = host.includes(':') ? `[${host}]` : host;
  console.log(JSON.stringify({ store: petstore.url, classic: `http://${name}:${server.address().port}` }));
}

function portOf(text) {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new OptionRefused(`CLASSIC_PORT was ${JSON.stringify(text)}; it must be a whole number from 0 to 65535.`);
}
