/** What every error says, in the contract's own form. */
export const error = {
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: { type: 'string' },
    message: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    details: {
      type: 'array',
      maxItems: 50,
      items: {
        type: 'object',
        description: 'One fault: in the body at `pointer` (RFC 6901), or in the request’s `parameter`.',
        required: ['code', 'message'],
        properties: {
          pointer: { type: 'string' },
          parameter: { type: 'string' },
          code: { type: 'string' },
          message: { type: 'string' },
        },
        additionalProperties: false,
      },
    },
    requestId: { type: 'string' },
  },
  additionalProperties: false,
  example: {
    code: 'validation_failed',
    message: 'The body breaks the published schema in 1 place.',
    status: 422,
    details: [{ pointer: '/name', code: 'required', message: 'name is missing.' }],
    requestId: '5f0c5b6e-7f0e-4a55-9f0a-2f4f0c1f7a11',
  },
} as const;

/** An error as RFC 9457 writes it, for whoever asks for `application/problem+json`. */
export const problem = {
  type: 'object',
  description: 'RFC 9457, with the same facts as Error.',
  required: ['type', 'title', 'status', 'detail', 'code', 'message'],
  properties: {
    type: { type: 'string', format: 'uri-reference' },
    title: { type: 'string' },
    detail: { type: 'string' },
    ...error.properties,
  },
  additionalProperties: false,
  example: {
    type: '/errors/pet_not_found',
    title: 'Pet not found',
    status: 404,
    detail: 'There is no pet 7.',
    code: 'pet_not_found',
    message: 'There is no pet 7.',
    requestId: '5f0c5b6e-7f0e-4a55-9f0a-2f4f0c1f7a11',
  },
} as const;
