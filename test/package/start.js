import { build, isStale } from './build.js';

/*
 * `npm start`: compiles what is stale, and runs the program in this process. Where `dist` is up to date, nothing is written and no
 * development dependency is needed.
 */

const code = isStale() ? tryToBuild() : 0;
if (code === 0) await import('../../dist/petstore.js');
else process.exitCode = code;

function tryToBuild() {
  try {
    return build();
  } catch (error) {
    process.stderr.write(
      `petstore: dist is missing or older than its sources, and cannot be built (${error.code ?? error}); run npm run build as a user who may write it.\n`,
    );
    return 2;
  }
}
