/** One fault of a request. */
export const errorDetail = {
  type: 'object',
  description: 'One fault of the request: at `pointer` in the body, or in the parameter or header named `parameter`.',
  required: ['code', 'message'],
  properties: {
    pointer: { type: 'string', description: 'Where in the body the fault is (JSON Pointer, RFC 6901).' },
    parameter: { type: 'string', description: 'The parameter or header that has the fault.' },
    code: { type: 'string', description: 'What kind of fault it is.' },
    message: { type: 'string', description: 'What is wrong, and what would be right.' },
  },
  example: { pointer: '/name', code: 'required', message: 'name is missing.' },
} as const;

const fields = {
  code: { type: 'string', description: 'The code of the error; `/errors/{code}` explains it.' },
  message: { type: 'string', description: 'Which value was wrong, what was wrong with it, and what would be right.' },
  details: {
    type: 'array',
    description: 'Every fault of the request, at most 50.',
    items: errorDetail,
    maxItems: 50,
  },
  requestId: { type: 'string', description: 'The id of the request, as in `X-Request-Id` and in the log.' },
} as const;

const status = { type: 'integer', description: 'The HTTP status.', minimum: 400, maximum: 599 } as const;

/** The contract's own form of every error. */
export const error = {
  type: 'object',
  description: 'An error: a code, a message and, where they help, the faults of the request.',
  required: ['code', 'message', 'status'],
  properties: { ...fields, status },
  example: {
    code: 'validation_failed',
    message: 'The body breaks the published schema in 1 place.',
    status: 422,
    details: [errorDetail.example],
    requestId: '5f0c5b6e-7f0e-4a55-9f0a-2f4f0c1f7a11',
  },
} as const;

/** An error as RFC 9457 writes it, for clients that request `application/problem+json`. */
export const problem = {
  type: 'object',
  description: 'An error as problem details (RFC 9457), with the same facts as Error.',
  required: ['type', 'title', 'status', 'detail', 'code', 'message'],
  properties: {
    type: { type: 'string', format: 'uri-reference', description: 'Where the code of the error is explained.' },
    title: { type: 'string', description: 'The name of the error.' },
    detail: { type: 'string', description: 'The same text as `message`.' },
    ...fields,
    status: { ...status, format: 'int32' },
  },
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
