-- Distributes a store over the nodes of a Citus cluster: everything about a pet is in one shard.
-- Start the service once on an empty database with the extension, stop it, run this file on the coordinator, and start it again:
--   psql -v ON_ERROR_STOP=1 -1 -f citus.sql "$DATABASE_URL"

-- Triggers do not run on distributed tables. The summary is counted when it is read.
drop trigger pets_counted on pets;
drop trigger pets_discounted on pets;
drop trigger pets_recounted on pets;
drop function count_pets();
drop function discount_pets();
drop function recount_pet();
drop table stock_summary;

-- A unique key of a distributed table must include its distribution column.
alter table orders drop constraint orders_pkey;
alter table orders add constraint orders_pkey primary key (pet_id, id);
create index orders_by_id on orders (id);
alter table movements drop constraint movements_pkey;
alter table movements add constraint movements_pkey primary key (pet_id, id);

-- The categories are copied to every node. Events, markers, records, keys and counters stay on the coordinator.
alter table orders drop constraint orders_pet_id_foreign;
alter table movements drop constraint movements_pet_id_foreign;
select create_reference_table('categories');
select create_distributed_table('pets', 'id');
select create_distributed_table('orders', 'pet_id', colocate_with => 'pets');
select create_distributed_table('movements', 'pet_id', colocate_with => 'pets');
alter table orders add constraint orders_pet_id_foreign
  foreign key (pet_id) references pets (id) on update restrict on delete restrict;
alter table movements add constraint movements_pet_id_foreign
  foreign key (pet_id) references pets (id) on update restrict on delete cascade;

create view stock_summary as
  select status, cast(count(*) as bigint) as pets, cast(sum(quantity) as bigint) as units from pets group by status;
