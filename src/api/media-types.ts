export const JSON_TYPE = 'application/json';
export const PROBLEM_TYPE = 'application/problem+json';
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';
export const EVENT_STREAM_TYPE = 'text/event-stream';
