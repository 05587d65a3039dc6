import { storageSuite } from '../../src/conformance/storage-suite.ts';
import { storage } from './adapters/whole.ts';

describe('The in-memory adapter', () => storageSuite(storage, { describe, it, beforeEach, afterEach }));
