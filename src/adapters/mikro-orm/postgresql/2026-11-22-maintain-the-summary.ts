import { Migration } from '@mikro-orm/migrations';

/** After about as many changes, one folds up to a thousand rows of the summary into one for each status. */
const CHANGES_PER_FOLD = 100;

/** For each trigger on `pets`, its function and the trigger itself. */
export const SUMMARY_TRIGGERS = {
  pets_counted: `create function count_pets() returns trigger language plpgsql as $$ begin
      insert into stock_summary (status, pets, units) select status, count(*), sum(quantity) from changed group by status;
      return null;
    end $$;
    create trigger pets_counted after insert on pets
      referencing new table as changed for each statement execute function count_pets()`,
  pets_discounted: `create function discount_pets() returns trigger language plpgsql as $$ begin
      insert into stock_summary (status, pets, units) select status, -count(*), -sum(quantity) from changed group by status;
      return null;
    end $$;
    create trigger pets_discounted after delete on pets
      referencing old table as changed for each statement execute function discount_pets()`,
  pets_recounted: `create function recount_pet() returns trigger language plpgsql as $$ begin
      insert into stock_summary (status, pets, units) values (old.status, -1, -old.quantity), (new.status, 1, new.quantity);
      if random() * ${CHANGES_PER_FOLD} < 1 then
        with folded as (
          delete from stock_summary
          where id in (select id from stock_summary order by id limit 1000 for update skip locked)
          returning status, pets, units
        )
        insert into stock_summary (status, pets, units) select status, sum(pets), sum(units) from folded group by status;
      end if;
      return null;
    end $$;
    create trigger pets_recounted after update on pets for each row
      when (old.quantity <> new.quantity or old.status <> new.status) execute function recount_pet()`,
} as const;

/**
 * Maintains the figures of the inventory summary, so that reading it does not count the pets. A change appends its
 * difference, and the figures are the sums: no transaction waits for another one, as it would for a row that all update. Now
 * and then a change folds rows that no other transaction has locked into one row for each status.
 *
 * Triggers do this in the transaction of every change, whichever program makes it. An engine without triggers can have
 * `stock_summary` as a view that counts: `select status, count(*) as pets, sum(quantity) as units from pets group by status`.
 */
export class MaintainTheSummary extends Migration {
  override up(): void {
    this.addSql(
      'create table "stock_summary" ("id" bigserial primary key, "status" text collate "C" not null, "pets" bigint not null, "units" bigint not null)',
    );
    this.addSql(
      'insert into stock_summary (status, pets, units) select status, count(*), sum(quantity) from pets group by status',
    );
    for (const trigger of Object.values(SUMMARY_TRIGGERS)) this.addSql(trigger);
  }
}
