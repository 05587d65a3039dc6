/**
 * The ids that clients see, and those of the store. A client may choose an id, such as 150, which the store will assign to
 * another pet one day. So a choice swaps two ids: the chosen one and the one that the store assigned. Each id on one side stands for
 * exactly one on the other, whatever is chosen later.
 */
export class ClientIds {
  #toStore = new Map();
  #toClient = new Map();

  storeId(clientId) {
    return this.#toStore.get(clientId) ?? clientId;
  }

  clientId(storeId) {
    return this.#toClient.get(storeId) ?? storeId;
  }

  /** Shows what the store calls `storeId`, and has just created, as `chosen`. What `chosen` stood for must not exist. */
  choose(chosen, storeId) {
    const before = this.clientId(storeId);
    const displaced = this.storeId(chosen);
    this.#pair(chosen, storeId);
    this.#pair(before, displaced);
  }

  #pair(clientId, storeId) {
    if (clientId === storeId) {
      this.#toStore.delete(clientId);
      this.#toClient.delete(storeId);
    } else {
      this.#toStore.set(clientId, storeId);
      this.#toClient.set(storeId, clientId);
    }
  }
}
