import { storage } from './adapters/whole.ts';
import { storageContract } from './storage-contract.ts';

storageContract('The in-memory adapter', storage.open, storage.gaps);
