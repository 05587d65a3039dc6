#!/usr/bin/env node
// Written so that any Node can read it once it is built: an older one ends here with a sentence instead of a riddle.
const OLDEST = [22, 18] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  process.stderr.write(`petstore: this is Node ${process.versions.node}; it must be ${OLDEST.join('.')} or newer.\n`);
  process.exitCode = 2;
} else {
  const { main } = await import('./composition/main.ts');
  await main(process.argv);
}
