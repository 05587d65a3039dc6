// Whatever is thrown here need not be an error.
await Promise.reject(undefined);
