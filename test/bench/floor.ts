import { Refusal, serve } from './floor-server.ts';
import { OrderRefused, openShopStatements } from './shop-statements.ts';

/*
 * The floor: what the machine can do. Bare node:http and prepared statements, with the bodies, the rows, the checks and the
 * durability of the service for three operations, and nothing else of it. DATABASE_URL is sqlite: and a file.
 */

const shop = openShopStatements();

serve({
  pet(id) {
    const row = shop.pet(id);
    return row === undefined ? undefined : JSON.stringify(row);
  },

  pets(categoryId, status, limit) {
    return JSON.stringify(shop.pets(categoryId, status, 0, limit));
  },

  order(petId, quantity) {
    try {
      return JSON.stringify(shop.order(petId, quantity));
    } catch (error) {
      throw error instanceof OrderRefused ? new Refusal() : error;
    }
  },

  close() {
    shop.close();
  },
});
