/* What tests of one storage alone take from the kit. */

export { type Desks, desksOn, eventsIn, pictureOf, walk } from '../../../src/conformance/storage/shop.ts';
export type {
  OpenedStorage as StorageUnderTest,
  OpenStorage,
} from '../../../src/conformance/storage/storage-under-test.ts';
