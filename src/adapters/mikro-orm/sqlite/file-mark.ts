/** Marks a SQLite file as a petstore's: 'PETS' in ASCII, kept in the file's header (https://www.sqlite.org/pragma.html#pragma_application_id). */
export const APPLICATION_ID = 0x50455453;
