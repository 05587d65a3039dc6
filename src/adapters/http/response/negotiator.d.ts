/** The part of negotiator that is used. `@types/negotiator` does not know the option `preferred` of version 1. */
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { readonly headers: Readonly<Record<string, string>> });
    /** The available codings that the client accepts, in its order; `preferred` orders those of equal quality. */
    encodings(available: readonly string[], options: { readonly preferred: readonly string[] }): string[];
  }
}
