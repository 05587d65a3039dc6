import { afterEach, beforeEach, describe, it } from 'node:test';
import { storageSuite } from 'petstore-service/conformance/storage-suite';
import { storage } from './under-test.js';

storageSuite(storage, { describe, it, beforeEach, afterEach });
