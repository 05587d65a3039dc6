// Required before the tests: their requests go to the service's own `fetch`, without a network.
process.env['PETSTORE_TEST_TRANSPORT'] = 'fetch';
