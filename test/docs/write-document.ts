import { writeFileSync } from 'node:fs';
import { COMMITTED, printed, RELEASED } from './document.ts';

/*
 * `npm run document` writes the document to `docs/openapi.json`. `npm run document -- --released` is part of a release: from then on
 * the document of this version is the one that later versions must not break.
 */

const files = process.argv.includes('--released') ? [COMMITTED, RELEASED] : [COMMITTED];
for (const file of files) writeFileSync(file, await printed());
