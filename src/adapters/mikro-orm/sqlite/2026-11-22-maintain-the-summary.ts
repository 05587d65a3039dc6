import { Migration } from '@mikro-orm/migrations';

/**
 * Maintains the figures of the inventory summary, so that reading it does not count the pets. Triggers maintain them in the
 * transaction of every change, whichever program makes it; a migration that creates `pets` anew must create them too.
 */
export class MaintainTheSummary extends Migration {
  override up(): void {
    this.addSql(
      'create table "stock_summary" ("id" integer not null primary key autoincrement, "status" text not null, "pets" integer not null, "units" integer not null)',
    );
    this.addSql(`insert into stock_summary (status, pets, units)
      select column1, (select count(*) from pets where status = column1), (select coalesce(sum(quantity), 0) from pets where status = column1)
      from (values ('available'), ('pending'), ('sold'))`);
    this.addSql(`create trigger pets_counted after insert on pets begin ${change('+', 'new')}; end`);
    this.addSql(`create trigger pets_discounted after delete on pets begin ${change('-', 'old')}; end`);
    this.addSql(`create trigger pets_recounted after update on pets
      when old.quantity <> new.quantity or old.status <> new.status
      begin ${change('-', 'old')}; ${change('+', 'new')}; end`);
  }
}

function change(sign: '+' | '-', row: 'old' | 'new'): string {
  return `update stock_summary set pets = pets ${sign} 1, units = units ${sign} ${row}.quantity where status = ${row}.status`;
}
