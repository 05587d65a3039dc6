import { LARGEST_ID, LONGEST_DESCRIPTION, LONGEST_NAME, MOST_ORDERED_UNITS, MOST_UNITS } from '../../domain/limits.ts';
import { PET_STATUSES } from '../../domain/pet-status.ts';

/*
 * Text without control characters (Unicode's Cc); white space at both ends does not count and is removed. Each character can
 * be matched in one way only, which keeps matching linear on hostile input. There are no \u escapes: Go's RE2 and the
 * regular expressions of several generators cannot read them.
 */
const VISIBLE = '[^\\s\\x00-\\x1f\\x7f-\\x9f]';
const INNER_SPACE = '[^\\S\\x00-\\x1f\\x7f-\\x9f]';
const SOME_TEXT = `${VISIBLE}(?:${INNER_SPACE}*${VISIBLE})*\\s*`;
export const NON_EMPTY_TEXT = `^\\s*${SOME_TEXT}$`;
export const TEXT = `^\\s*(?:${SOME_TEXT})?$`;

/** An identifier, in a place that states whose it is. */
export const id = { type: 'integer', format: 'int64', minimum: 1, maximum: LARGEST_ID } as const;
export const petId = { ...id, description: 'The id of the pet.' } as const;
export const categoryId = { ...id, description: 'The id of the category.' } as const;
export const orderId = { ...id, description: 'The id of the order.' } as const;
export const movementId = { ...id, description: 'The id of the stock movement.' } as const;

export const petStatus = {
  type: 'string',
  description:
    'Whether the pet is for sale. `sold`: no unit is on hand. `pending`: open orders reserve every unit, or a person took the pet off sale. `available`: everything else.',
  enum: PET_STATUSES,
} as const;

/** For a field with a default. */
export const availableByDefault = { allOf: [petStatus], default: 'available' } as const;

export const dateTime = { type: 'string', format: 'date-time' } as const;
export const shipDate = { ...dateTime, description: 'When the order ships or shipped (RFC 3339).' } as const;
export const complete = { type: 'boolean', description: 'Whether the order is complete.' } as const;

export const petName = {
  type: 'string',
  description: 'The name of the pet, without white space at both ends.',
  minLength: 1,
  maxLength: LONGEST_NAME,
  pattern: NON_EMPTY_TEXT,
} as const;
export const categoryName = {
  ...petName,
  description: 'The name of the category, without white space at both ends. It is unique regardless of case.',
} as const;
export const categoryDescription = {
  type: 'string',
  description: 'What the category contains.',
  maxLength: LONGEST_DESCRIPTION,
  pattern: TEXT,
} as const;
/** The beginning of a name, to search by. */
export const namePrefix = { type: 'string', minLength: 1, maxLength: LONGEST_NAME, pattern: NON_EMPTY_TEXT } as const;

export const stockCount = { type: 'integer', minimum: 0, maximum: MOST_UNITS } as const;
export const orderedUnits = {
  type: 'integer',
  description: 'The number of units that the order is for.',
  minimum: 1,
  maximum: MOST_ORDERED_UNITS,
} as const;
export const signedUnits = {
  type: 'integer',
  format: 'int32',
  minimum: -MOST_UNITS,
  maximum: MOST_UNITS,
} as const;

/** At most this many items are on one page of a list. */
export const LARGEST_PAGE = 100;
/** At most this many values are in one parameter of a query. */
export const MOST_VALUES = 100;
