export const stock = 7;
