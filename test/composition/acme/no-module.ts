export const storage = 'in another place';
