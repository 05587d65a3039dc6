import { Migration } from '@mikro-orm/migrations';

/**
 * Indexes for every combination of filters and sort of a list. Those on orders contain `complete`, so that lists with and
 * without that filter share them.
 */
export class IndexEveryList extends Migration {
  override up(): void {
    this.addSql('create index "pets_by_status_name" on "pets" ("status", "name_key", "id")');
    this.addSql('create index "pets_by_category_status_name" on "pets" ("category_id", "status", "name_key", "id")');
    this.addSql('create index "orders_by_complete_ship_date" on "orders" ("complete", "ship_date", "id")');
    this.addSql('create index "orders_by_pet_complete" on "orders" ("pet_id", "complete", "id")');
    this.addSql(
      'create index "orders_by_pet_complete_ship_date" on "orders" ("pet_id", "complete", "ship_date", "id")',
    );
    this.addSql('drop index "orders_by_pet"');
    this.addSql('drop index "orders_by_ship_date"');
  }
}
