import { parseDateTime } from 'petstore-service/api/date-time';
import { PET_STATUSES } from 'petstore-service/domain/pet-status';
import { tidyText } from 'petstore-service/domain/text';
import { must, Refused } from './failures.js';

/** What clients send, checked. `invalid` is the status that a version of the interface has for a wrong body. */

export function petOf(given, invalid) {
  const { id, name, category, photoUrls, tags, status } = withoutNulls(given);
  const isText = (value) => typeof value === 'string';
  must(invalid, Array.isArray(photoUrls) && photoUrls.every(isText), 'photoUrls must be a list of addresses.');
  must(invalid, tags === undefined || Array.isArray(tags), 'tags must be a list.');
  return {
    id: chosenIdOf(id),
    name: nameOf(name, invalid),
    category: category && labelOf(category, 'category', invalid),
    photoUrls,
    tags: tags?.map((tag) => labelOf(tag, 'Each of the tags', invalid)),
    status: status === undefined ? undefined : petStatusOf(status, invalid),
  };
}

export function orderOf(given, invalid) {
  const { id, petId, quantity, shipDate, status, complete } = withoutNulls(given);
  const isQuantity = Number.isInteger(quantity) && quantity >= 0 && quantity <= 1_000_000;
  must(invalid, quantity === undefined || isQuantity, 'quantity must be a whole number up to 1000000.');
  const instant = shipDate === undefined ? undefined : instantOf(shipDate);
  must(invalid, shipDate === undefined || instant !== undefined, 'shipDate must be a date and time.');
  const isStatus = [undefined, 'placed', 'approved', 'delivered'].includes(status);
  must(invalid, isStatus, 'The status of an order must be placed, approved or delivered.');
  must(invalid, [undefined, true, false].includes(complete), 'complete must be true or false.');
  // Clients in languages without absent numbers send 0.
  return {
    id: chosenIdOf(id),
    petId: idOf(petId),
    quantity: quantity || undefined,
    shipDate: instant,
    status,
    complete,
  };
}

export function nameOf(given, invalid) {
  const name = typeof given === 'string' && given.isWellFormed() ? tidyText(given) : '';
  must(invalid, /^\P{Cc}{1,100}$/u.test(name), 'A name must be a text of 1 to 100 characters.');
  return name;
}

export function idOf(given) {
  const id = typeof given === 'string' && /^\d{1,16}$/.test(given) ? Number(given) : given;
  must(400, Number.isSafeInteger(id) && id > 0, 'Invalid ID supplied.');
  return id;
}

export function petStatusOf(given, invalid = 400) {
  must(invalid, PET_STATUSES.includes(given), `Invalid status value: it must be one of ${PET_STATUSES.join(', ')}.`);
  return given;
}

export function objectOf(text) {
  try {
    const value = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // It is refused below, like JSON that is not an object.
  }
  throw new Refused(400, 'The body must be an object in JSON.');
}

/** A category or a tag. */
function labelOf(given, what, invalid) {
  must(invalid, typeof given === 'object' && given !== null, `${what} must be an object with id and name.`);
  const { id, name } = withoutNulls(given);
  return {
    ...(id !== undefined && { id: id === 0 ? 0 : idOf(id) }),
    ...(name !== undefined && { name: nameOf(name, invalid) }),
  };
}

/** Clients that leave the choice to the store send no id, or 0. */
function chosenIdOf(given) {
  return given === undefined || given === 0 ? undefined : idOf(given);
}

/** Some clients write offsets without the colon of RFC 3339. */
function instantOf(given) {
  return typeof given === 'string' ? parseDateTime(given.replace(/([+-]\d\d)(\d\d)$/, '$1:$2')) : undefined;
}

/** Clients in languages that know only `null` send it for what they leave out. */
function withoutNulls(given) {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}
