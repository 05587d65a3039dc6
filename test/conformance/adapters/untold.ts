export const storage = { open: async () => undefined, gaps: { swim: 'It is a cat.' } };
