import { expect } from 'chai';
import pg from 'pg';
import { isUniqueViolation } from '../../../src/adapters/mikro-orm/postgresql/postgresql-errors.ts';

function violation(message: string, fields: Partial<pg.DatabaseError> = {}): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(message, message.length, 'error'), {
    severity: 'ERROR',
    code: '23505',
    ...fields,
  });
}

describe('A violation of a unique constraint', () => {
  for (const [what, error] of Object.entries({
    'by the field of the error': violation('whatever it says', { constraint: 'categories_name_key' }),
    'by the message, where the server has no field': violation(
      'duplicate key value violates unique constraint "categories_name_key"',
    ),
    'of a shard': violation('duplicate key value violates unique constraint "categories_name_key_102008"'),
    'of a shard, in the field': violation('', { constraint: 'categories_name_key_102008' }),
    'in another language': violation('doppelter Schlüsselwert verletzt Unique-Constraint »categories_name_key_102008«'),
  })) {
    it(`is recognised ${what}`, () => {
      expect(isUniqueViolation(error, 'categories_name_key')).to.equal(true);
      expect(isUniqueViolation(error, 'categories_pkey')).to.equal(false);
      expect(isUniqueViolation(Object.assign(error, { code: '23503' }), 'categories_name_key')).to.equal(false);
    });
  }
});
