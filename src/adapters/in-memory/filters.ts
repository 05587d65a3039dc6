import type { CategoryFilter, InventoryFilter, OrderFilter, PetFilter } from '../../application/ports/reader.ts';
import type { CategorySnapshot } from '../../domain/category.ts';
import type { OrderSnapshot } from '../../domain/order.ts';
import { statusOf } from '../../domain/pet-status.ts';
import { nameKey } from '../../domain/text.ts';
import type { PetRow } from './store.ts';

type Test<Row> = (row: Row) => boolean;

export function petMatches({ status, categoryId, name, ids }: PetFilter): Test<PetRow> {
  return all(
    status && ((row) => status.includes(statusOf(row))),
    categoryId !== undefined && ((row) => row.categoryId === categoryId),
    name !== undefined && begins(name),
    ids && oneOf(ids),
  );
}

export function categoryMatches({ name }: CategoryFilter): Test<CategorySnapshot> {
  return all(name !== undefined && begins(name));
}

export function orderMatches({ petId, complete, shipDateFrom, shipDateTo }: OrderFilter): Test<OrderSnapshot> {
  return all(
    petId !== undefined && ((row) => row.petId === petId),
    complete !== undefined && ((row) => row.complete === complete),
    shipDateFrom !== undefined && (({ shipDate }) => shipDate !== undefined && shipDate >= shipDateFrom),
    shipDateTo !== undefined && (({ shipDate }) => shipDate !== undefined && shipDate < shipDateTo),
  );
}

export function inventoryMatches({ status, petIds, below }: InventoryFilter): Test<PetRow> {
  return all(
    status && ((row) => status.includes(statusOf(row))),
    petIds && oneOf(petIds),
    below !== undefined && ((row) => row.quantity < below),
  );
}

/** True for a row that passes every test that is present. */
function all<Row>(...tests: readonly (Test<Row> | false | undefined)[]): Test<Row> {
  const given = tests.filter((test) => typeof test === 'function');
  return (row) => given.every((test) => test(row));
}

function begins(prefix: string): Test<{ readonly name: string }> {
  const key = nameKey(prefix);
  return ({ name }) => nameKey(name).startsWith(key);
}

function oneOf(ids: readonly number[]): Test<{ readonly id: number }> {
  const wanted = new Set(ids);
  return ({ id }) => wanted.has(id);
}
