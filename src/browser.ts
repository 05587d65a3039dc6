/*
 * The package for browsers and other places without Node: `petstore-service/browser`. Bundlers find neither Node's modules nor a
 * database behind it.
 */

export {
  type BrowserPetstore,
  type BrowserPetstoreConfig,
  createBrowserPetstore,
} from './composition/create-browser-petstore.ts';
export { OptionRefused } from './composition/options.ts';
