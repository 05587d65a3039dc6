import { parseDateTime } from './date-time.ts';

/** The formats of the schemas, as Ajv takes them. */
export const FORMATS = {
  int64: { type: 'number', validate: Number.isSafeInteger },
  int32: { type: 'number', validate: (value: number) => value === (value | 0) },
  'date-time': { type: 'string', validate: (text: string) => parseDateTime(text) !== undefined },
} as const;
